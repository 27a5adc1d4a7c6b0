import { redrivenHeader, toDigest, toKey, witnessHeaders } from "./receiver.ts";

/** An element of `POST /v2/batch`. */
export interface Item {
  readonly destination: string;
  readonly queue?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What must become of a message, known before it is sent: `redriven` fails first and is delivered by redriver; the others
 * fail and must stay in the DLQ, `held` or `parked` by the rules.
 */
export type Fate = "redriven" | "held" | "parked";

export interface PlannedMessage {
  readonly id: string;
  readonly fate: Fate;
  readonly item: Item;
  /** Where it fails. */
  readonly failingUrl: string;
  /** Deliveries that the receiver must see, each exactly once. */
  readonly deliveries: readonly string[];
  readonly hasCallbacks: boolean;
}

export interface Addresses {
  readonly steadyUrl: string;
  readonly flakyUrl: string;
  readonly headerPrefix: string;
}

export const urlGroup = "partners";
export const queue = "mails";
const reviewLabel = "hold-for-review";

const paths = { group: "/partners", groupHealthy: "/audit" } as const;

/** The URL Group's endpoints: one healthy all along, so that a redrive must reach the other alone. */
export function toGroupEndpoints({
  steadyUrl,
  flakyUrl,
}: Addresses): readonly { name: string; url: string }[] {
  return [
    { name: "healthy", url: `${steadyUrl}${paths.groupHealthy}` },
    { name: "failing", url: `${flakyUrl}${paths.group}` },
  ];
}

const kinds = {
  order: 14,
  invoice: 6,
  group: 6,
  queued: 6,
  shipment: 4,
  review: 1,
  refused: 1,
  never: 1,
  redacted: 1,
} as const;
type Kind = keyof typeof kinds;

/** Every kind as often as its number says, in one round of 40. */
const round = Object.entries(kinds).flatMap(([kind, times]) => Array<Kind>(times).fill(kind as Kind));
/** No divisor in common with 40: each round goes through all of it, and kinds that belong together lie apart. */
const stride = 7;

/** The messages of the demo, the same for the same arguments. `runId` keeps their ids apart from any other run's. */
export function planMessages(count: number, runId: string, addresses: Addresses): readonly PlannedMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = round[(index * stride) % round.length] ?? "order";
    return planMessage(kind, `${runId}-${index + 1}`, index, addresses);
  });
}

export const jsonType = "application/json; charset=utf-8";

/** The method, and the headers by which the receiver sees whether it got what was published. */
export function toWitnessedHeaders(
  prefix: string,
  { id, method, body }: { readonly id: string; readonly method: string; readonly body: string },
): Readonly<Record<string, string>> {
  return {
    [`${prefix}Method`]: method,
    [`${prefix}Forward-${witnessHeaders.id}`]: id,
    [`${prefix}Forward-${witnessHeaders.digest}`]: toDigest(method, body),
    [`${prefix}Forward-${witnessHeaders.method}`]: method,
  };
}

function planMessage(kind: Kind, id: string, index: number, addresses: Addresses): PlannedMessage {
  const { steadyUrl, flakyUrl, headerPrefix: prefix } = addresses;
  const method = kind === "invoice" ? "PUT" : "POST";
  const body = kind === "invoice" ? toXml(id, index) : toJson(kind, id, index);
  const common = {
    "Content-Type": kind === "invoice" ? "application/xml" : jsonType,
    [`${prefix}Retries`]: String(1 + (index % 2)),
    ...toWitnessedHeaders(prefix, { id, method, body }),
  };
  const plan = (
    failingUrl: string,
    rest: {
      readonly fate?: Fate;
      readonly destination?: string;
      readonly queue?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly deliveries?: readonly string[];
      readonly hasCallbacks?: boolean;
    } = {},
  ): PlannedMessage => {
    const { fate = "redriven" } = rest;
    const redriven = fate === "redriven" ? [toKey(new URL(failingUrl).pathname, id)] : [];
    return {
      id,
      fate,
      failingUrl,
      deliveries: [...redriven, ...(rest.deliveries ?? [])],
      hasCallbacks: rest.hasCallbacks ?? false,
      item: {
        destination: rest.destination ?? failingUrl,
        ...(rest.queue === undefined ? {} : { queue: rest.queue }),
        headers: { ...common, ...rest.headers },
        body,
      },
    };
  };

  switch (kind) {
    case "order":
      return plan(`${flakyUrl}/orders`, {
        headers: { [`${prefix}Forward-X-Tenant`]: `tenant-${index % 5}` },
      });
    case "invoice":
      return plan(`${flakyUrl}/invoices`, {
        headers: {
          [`${prefix}Label`]: "billing,monthly",
          [`${prefix}Flow-Control-Key`]: "invoices",
          [`${prefix}Flow-Control-Value`]: "parallelism=50",
        },
      });
    case "group":
      return plan(`${flakyUrl}${paths.group}`, {
        destination: urlGroup,
        deliveries: [toKey(paths.groupHealthy, id)],
      });
    case "queued":
      return plan(`${flakyUrl}/mails`, { queue, headers: { [`${prefix}Retries`]: "1" } });
    case "shipment":
      return plan(`${flakyUrl}/shipments`, {
        headers: {
          [`${prefix}Callback`]: `${steadyUrl}/callback`,
          [`${prefix}Failure-Callback`]: `${steadyUrl}/failure-callback`,
        },
        hasCallbacks: true,
      });
    case "review":
      return plan(`${flakyUrl}/payouts`, { fate: "held", headers: { [`${prefix}Label`]: reviewLabel } });
    case "refused":
      return plan(`${steadyUrl}/refused`, { fate: "parked" });
    case "never":
      return plan(`${steadyUrl}/never`, { fate: "parked" });
    case "redacted":
      return plan(`${flakyUrl}/secrets`, { fate: "parked", headers: { [`${prefix}Redact-Fields`]: "body" } });
    default:
      return kind satisfies never;
  }
}

/** With what goes wrong first when text is encoded twice. */
function toJson(kind: Kind, id: string, index: number): string {
  const note = 'Grüße, 世界 🚀 "quoted" \\ back\nslash & <tag> %20';
  return JSON.stringify({ id, kind, position: index, amount: (index % 997) / 100, note });
}

function toXml(id: string, index: number): string {
  return `<?xml version="1.0"?>\n<invoice id="${id}">\n  <total currency="EUR">${index % 997}</total>\n  <to>Zoë &amp; Söhne</to>\n</invoice>\n`;
}

/** The one drain of the demo. */
export const drainName = "demo";

/**
 * WaitBudget between attempts are 12 s and 2 min 28 s for the service; here 60 ms and 740 ms, so that messages die in seconds.
 */
export const retryScale = 0.005;

/** The rules that those fates follow from: the drains document of the demo. */
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
