import { reviewLabel } from "./plan-messages.ts";
import { redrivenHeader } from "./receiver.ts";

export const drainName = "demo";

/** The rules that the fates of the planned messages (plan-messages.ts) follow from. */
export function toDrainsDocument(): string {
  return `# The drains document of the demo. Times are short because its receiver is down for seconds, not for hours.
version: 1

sources:
  demo: { retention: 1d, dedupWindow: 10m }

drains:
  ${drainName}:
    mode: live
    schedule: { every: 1s, full: 3s }
    minAge: 1s
    attempts: { max: 50, wait: [1s, 5s, 10s, 20s], then: park }
    # The built-in limits and lane would spread these messages over minutes; its receiver minds nothing.
    lane: none
    limits: { publish: 5000/s, perHost: 2000/s, perPass: none, perDay: none }
    otherwise: hold
    rules:
      - name: receiver-refuses
        when: { responseStatus: 422 }
        then: park
      - name: somebody-looks-first
        when: { label: ${reviewLabel} }
        then: hold
      # Also holds for what cannot be rebuilt, and for the receivers' word "never again" (489): both are parked.
      - name: outage
        when: { responseStatus: [none, 4xx, 5xx] }
        then: republish
        set: { headers: { ${redrivenHeader}: "true" } }
`;
}
