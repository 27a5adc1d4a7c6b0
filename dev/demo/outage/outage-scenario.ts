import { toWitnessedItem, type PlannedMessage } from "../plan-messages.ts";
import { redrivenHeader, toKey } from "../receiver.ts";
import type { Stage } from "../stack.ts";

/** How much faster than outside time passes: one second of the demo stands for half a minute. */
export const timeScale = 30;

/**
 * The lane of the demo: the built-in one is watched for a minute and probed every five; here both are 3 s. A
 * canary of a watch of 2 s times out after 1 s, which a busy machine takes to answer: it comes back, and
 * arrives twice.
 */
export const lane = { canary: 5, watchMs: 3_000, probeEveryMs: 3_000 } as const;

export const drainName = "webhooks";

const limits = { publish: "1200/s", perHost: "600/s" } as const;

/**
 * One attempt is all that a message has: a message whose canary came back is delivered in the end only
 * because that one was not spent. `hasLane: false` is the same outage without a lane, to see what it spares.
 */
export function toStage({ hasLane }: { readonly hasLane: boolean }): Stage {
  const { canary, watchMs, probeEveryMs } = lane;
  const laneText = hasLane
    ? `{ canary: ${canary}, watch: ${watchMs}ms, haltAt: 20%, probeEvery: ${probeEveryMs}ms }`
    : "none";
  return {
    // 12 s before the first retry become 400 ms.
    retryScale: Number((1 / timeScale).toFixed(4)),
    drains: `# The drains document of \`redriver demo --outage\`. Times are 1:${timeScale}.
version: 1

sources:
  demo: { retention: 1d, dedupWindow: 10m }

drains:
  ${drainName}:
    mode: live
    schedule: { every: 1s, full: 10s }
    lane: ${laneText}
    minAge: 1s
    attempts: { max: 1, wait: [0s], then: park }
    limits: { publish: ${limits.publish}, perHost: ${limits.perHost}, perPass: none, perDay: none }
    otherwise: hold
    rules:
      - name: outage
        when: { responseStatus: [none, 5xx] }
        then: republish
        set: { headers: { ${redrivenHeader}: "true" } }
`,
  };
}

/** Of the two hosts of the receiver: `down` has the outage, `other` only stumbles. */
export interface Hosts {
  readonly down: string;
  readonly other: string;
}

/** The receiver's ports under names; names below localhost lead to this machine. */
export function toHosts(receiver: { readonly flakyUrl: string; readonly steadyUrl: string }): Hosts {
  return {
    down: `http://orders.localhost:${new URL(receiver.flakyUrl).port}`,
    other: `http://mails.localhost:${new URL(receiver.steadyUrl).port}`,
  };
}

/** Origin without scheme and port, which differs from run to run. */
export const toName = (origin: string): string => new URL(origin).hostname;

/**
 * Webhooks to one origin, with one retry each; every one has to be delivered once. `idPrefix` keeps ids
 * apart, also from those of other runs.
 */
export function planWebhooks(count: number, host: string, idPrefix: string): readonly PlannedMessage[] {
  const path = "/hook";
  const destination = `${host}${path}`;
  return Array.from({ length: count }, (_, index): PlannedMessage => {
    const id = `${idPrefix}-${index + 1}`;
    const body = JSON.stringify({ id, position: index });
    return {
      id,
      fate: "redriven",
      failingUrl: destination,
      deliveries: [toKey(path, id)],
      hasCallbacks: false,
      item: toWitnessedItem({ id, destination, headers: { Retries: "1" }, body }),
    };
  });
}
