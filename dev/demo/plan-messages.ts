import { headerPrefix, toDigest, toKey, witnessHeaders } from "./receiver.ts";

/** An element of `POST /v2/batch`. */
export interface Item {
  readonly destination: string;
  readonly queue?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What must become of a message, known before it is sent: `redriven` fails first and is delivered by
 * redriver; the others fail and must stay in the DLQ, `held` or `parked` by the rules.
 */
export type Fate = "redriven" | "held" | "parked";

export interface PlannedMessage {
  readonly id: string;
  readonly fate: Fate;
  readonly item: Item;
  readonly failingUrl: string;
  /** Deliveries that the receiver must see, each exactly once. */
  readonly deliveries: readonly string[];
  readonly hasCallbacks: boolean;
}

export interface Addresses {
  readonly steadyUrl: string;
  readonly flakyUrl: string;
}

export const urlGroup = "partners";
export const queue = "mails";
export const reviewLabel = "hold-for-review";

/** A kind of message, of which so many are in one round. */
interface KindPlan {
  readonly times: number;
  readonly path: string;
  /** To the steady port, which refuses these for ever. */
  readonly isSteady?: true;
  /** Default `redriven`. */
  readonly fate?: Fate;
  /** Names without the prefix. */
  readonly headers?: Readonly<Record<string, string>>;
}

const kinds = {
  order: { times: 14, path: "/orders" },
  invoice: {
    times: 6,
    path: "/invoices",
    headers: {
      Label: "billing,monthly",
      "Flow-Control-Key": "invoices",
      "Flow-Control-Value": "parallelism=50",
    },
  },
  /** Sent to the URL Group, whose healthy endpoint gets it at once. */
  group: { times: 6, path: "/partners" },
  queued: { times: 6, path: "/mails", headers: { Retries: "1" } },
  /** With callbacks. */
  shipment: { times: 4, path: "/shipments" },
  review: { times: 1, path: "/payouts", fate: "held", headers: { Label: reviewLabel } },
  refused: { times: 1, path: "/refused", fate: "parked", isSteady: true },
  never: { times: 1, path: "/never", fate: "parked", isSteady: true },
  redacted: { times: 1, path: "/secrets", fate: "parked", headers: { "Redact-Fields": "body" } },
} as const satisfies Readonly<Record<string, KindPlan>>;
type Kind = keyof typeof kinds;
const healthyPath = "/audit";

/** The URL Group's endpoints: one healthy all along, so that a redrive must reach the other alone. */
export function toGroupEndpoints({
  steadyUrl,
  flakyUrl,
}: Addresses): readonly { name: string; url: string }[] {
  return [
    { name: "healthy", url: `${steadyUrl}${healthyPath}` },
    { name: "failing", url: `${flakyUrl}${kinds.group.path}` },
  ];
}

/** Every kind as often as its number says, in one round of 40. */
const round = Object.entries(kinds).flatMap(([kind, { times }]) => Array<Kind>(times).fill(kind as Kind));
/**
 * No divisor in common with 40: each round goes through all of it, and kinds that belong together lie apart.
 */
const stride = 7;

/**
 * The messages of the demo, the same for the same arguments. `runId` keeps their ids apart from any other
 * run's.
 */
export function planMessages(count: number, runId: string, addresses: Addresses): readonly PlannedMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = round[(index * stride) % round.length] ?? "order";
    return planMessage(kind, `${runId}-${index + 1}`, index, addresses);
  });
}

const jsonType = "application/json; charset=utf-8";

/** An item that the receiver can see to be as it was published. `headers`: names without the prefix. */
export function toWitnessedItem(message: {
  readonly id: string;
  readonly destination: string;
  readonly queue?: string;
  readonly method?: string;
  readonly type?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): Item {
  const { id, destination, queue: name, method = "POST", type = jsonType, body } = message;
  const headers = {
    Method: method,
    [`Forward-${witnessHeaders.id}`]: id,
    [`Forward-${witnessHeaders.digest}`]: toDigest(method, body),
    [`Forward-${witnessHeaders.method}`]: method,
    ...message.headers,
  };
  const prefixed = Object.entries(headers).map(([header, value]) => [`${headerPrefix}${header}`, value]);
  return {
    destination,
    ...(name === undefined ? {} : { queue: name }),
    headers: { "Content-Type": type, ...Object.fromEntries(prefixed) },
    body,
  };
}

function planMessage(kind: Kind, id: string, index: number, addresses: Addresses): PlannedMessage {
  const { steadyUrl, flakyUrl } = addresses;
  const plan: KindPlan = kinds[kind];
  const { path, fate = "redriven" } = plan;
  const failingUrl = `${plan.isSteady === true ? steadyUrl : flakyUrl}${path}`;
  const content =
    kind === "invoice"
      ? { method: "PUT", body: toXml(id, index), type: "application/xml" }
      : { body: toJson(kind, id, index) };
  return {
    id,
    fate,
    failingUrl,
    deliveries: [
      ...(fate === "redriven" ? [toKey(path, id)] : []),
      ...(kind === "group" ? [toKey(healthyPath, id)] : []),
    ],
    hasCallbacks: kind === "shipment",
    item: toWitnessedItem({
      id,
      destination: kind === "group" ? urlGroup : failingUrl,
      ...(kind === "queued" ? { queue } : {}),
      headers: {
        Retries: String(1 + (index % 2)),
        ...(kind === "order" ? { "Forward-X-Tenant": `tenant-${index % 5}` } : {}),
        ...(kind === "shipment"
          ? { Callback: `${steadyUrl}/callback`, "Failure-Callback": `${steadyUrl}/failure-callback` }
          : {}),
        ...plan.headers,
      },
      ...content,
    }),
  };
}

/** With what goes wrong first when text is encoded twice. */
function toJson(kind: Kind, id: string, index: number): string {
  const note = 'Grüße, 世界 🚀 "quoted" \\ back\nslash & <tag> %20';
  return JSON.stringify({ id, kind, position: index, amount: (index % 997) / 100, note });
}

function toXml(id: string, index: number): string {
  return `<?xml version="1.0"?>\n<invoice id="${id}">\n  <total currency="EUR">${index % 997}</total>\n  <to>Zoë &amp; Söhne</to>\n</invoice>\n`;
}
