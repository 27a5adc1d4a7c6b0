import type { Item } from "../plan-messages.ts";
import { headerPrefix } from "../receiver.ts";

/** The receiver is down while this file is in the folder of the documents. */
export const downFile = "receiver-is-down";

export const refusedMessages = 12;
/** How many the lane sends first. All of them fail again. */
export const canaries = 5;
const paymentShare = 0.1;

/** Three names of one receiver, which is down. The last one answers, but knows no contact any more. */
export interface IncidentHosts {
  readonly orders: string;
  readonly payments: string;
  readonly contacts: string;
}

/** Names below localhost lead to this machine. */
export function toHosts(port: number): IncidentHosts {
  const at = (name: string): string => `http://${name}.localhost:${port}`;
  return { orders: at("orders"), payments: at("payments"), contacts: at("contacts") };
}

export const paths = {
  orders: "/hooks/order-paid",
  payments: "/hooks/refund",
  contacts: "/hooks/contact",
} as const satisfies Record<keyof IncidentHosts, string>;

/** A drain that works by itself, one that waits for a person, a pager, and an archive: without one nobody discards. */
export function toIncidentDocument(port: number, archive: string): string {
  const hosts = toHosts(port);
  return `# The drains document of \`redriver demo --incident\`. A lane watches for 5s here, not for a minute.
version: 1

sources:
  demo: { retention: 3d, dedupWindow: 10m }

archive: { dir: ${JSON.stringify(archive)}, volume: ephemeral }

defaults:
  schedule: { every: 1s, full: 5s }
  minAge: 1s
  attempts: { max: 3, wait: [1s], then: park }
  lane: { canary: ${canaries}, watch: 5s, haltAt: 20%, probeEvery: 30m }
  limits: { publish: 100/s, perHost: 20/s, perPass: none, perDay: none }

drains:
  webhooks:
    mode: live
    select: { url: [${hosts.orders}${paths.orders}, ${hosts.contacts}${paths.contacts}] }
    rules:
      - { name: refused, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: [none, 5xx] }, then: republish }

  # Money: a person reads a plan, then applies it.
  payments:
    mode: plan
    select: { url: [${hosts.payments}${paths.payments}] }
    rules:
      - { name: outage, when: { responseStatus: [none, 5xx] }, then: republish }

notify:
  pager:
    url: http://127.0.0.1:${port}/pager
    form: slack
    allowPrivate: true
    every: 2s
    events: [destination.halted, destination.resumed, parked.new, backlog.ended]
`;
}

/** `orders` messages to the first host, a tenth of that to the second, twelve to the third. */
export function planIncident(orders: number, hosts: IncidentHosts): readonly Item[] {
  const payments = Math.max(1, Math.round(orders * paymentShare));
  const kinds = [
    { count: orders, host: "orders", toContent: (id: number) => ({ order: id }) },
    { count: payments, host: "payments", toContent: (id: number) => ({ refund: id }) },
    { count: refusedMessages, host: "contacts", toContent: (id: number) => ({ contact: id }) },
  ] as const;
  return kinds.flatMap(({ count, host, toContent }) =>
    planFor(count, `${hosts[host]}${paths[host]}`, toContent),
  );
}

const firstId = 4_700;

/** With one attempt each, so that they die at once. */
function planFor(count: number, destination: string, toContent: (id: number) => object): readonly Item[] {
  const headers = {
    "Content-Type": "application/json",
    [`${headerPrefix}Retries`]: "0",
  };
  return Array.from({ length: count }, (_, position) => ({
    destination,
    headers,
    body: JSON.stringify(toContent(firstId + position)),
  }));
}
