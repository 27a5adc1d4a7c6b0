import { retryLadderMs } from "../delivery/retry-waits.ts";
import { redacted, type StoredDeadLetter } from "../dlq/stored-dead-letter.ts";
import type { EmulatorSettings } from "../options.ts";
import type { RandomChoice } from "./random-choice.ts";

type RecordForm = Pick<EmulatorSettings, "missingStatus" | "earlierForm">;

interface RecordWishes {
  readonly destinations: readonly string[];
  readonly recordBytes: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields, and how to make them longer by so many characters if that can be done. */
interface Part {
  readonly fields: Fields;
  readonly fill?: (length: number) => Fields;
}

const groups = ["order-events", "billing", "warehouse", "audit"];
const endpoints = ["primary", "mirror", undefined];
const queues = ["mail", "orders", "imports", "nightly"];
const schedules = ["scd_hourly", "scd_daily", "scd_monthly"];
const labels = ["orders", "payments", "mail", "import", "vip", "canary", "nightly"];
const tenants = ["tenant-a", "tenant-b", "tenant-c", "tenant-d", "tenant-e", "tenant-f"];
const callerIps = ["203.0.113.7", "203.0.113.8", "198.51.100.21", "192.0.2.140", "2001:db8::17"];
const delays = ["1000 * (1 + retried)", "pow(2, retried) * 1000", "min(60000, 2^retried * 500)"];
const events = ["order.created", "order.paid", "refund.requested", "invoice.sent", "stock.changed"];
const customers = ["acme", "globex", "initech", "umbrella"];

/** A dead letter as a service has them that is some years old and has some tenants. */
export function generatedRecord(
  choice: RandomChoice,
  { destinations, recordBytes }: RecordWishes,
  form: RecordForm,
  dlqId: string,
  enteredMs: number,
): StoredDeadLetter {
  const url = choice.skewed(destinations);
  const body = bodyPart(choice);
  const response = responsePart(choice, form.missingStatus);
  const record: Record<string, unknown> = {
    dlqId,
    messageId: `msg_${choice.token(24)}`,
    url,
    ...wayFields(choice, form),
    method: choice.weighted({ POST: 90, PUT: 7, PATCH: 3 }),
    ...body.fields,
    ...timeFields(choice, enteredMs),
    ...optionalFields(choice, new URL(url).origin),
    callerIP: choice.skewed(callerIps),
    ...response.fields,
  };
  const missing = recordBytes - Buffer.byteLength(JSON.stringify(record));
  const fill = body.fill ?? response.fill;
  if (missing > 0 && fill !== undefined) Object.assign(record, fill(missing));
  return record;
}

/** By a URL, a queue or a URL Group. */
function wayFields(choice: RandomChoice, { earlierForm }: RecordForm): Fields {
  const state = earlierForm ? { state: "failed" } : {};
  switch (choice.weighted({ url: 58, group: 17, queue: 25 })) {
    case "url":
      return state;
    case "queue":
      return { queueName: choice.skewed(queues), ...state };
    case "group": {
      const topicName = choice.skewed(groups);
      const topicId = earlierForm ? `top_${topicName}` : undefined;
      return { topicName, endpointName: choice.of(endpoints), topicId, ...state };
    }
  }
}

/** A message enters once its last attempt has failed: that long before, its ladder began. */
function timeFields(choice: RandomChoice, enteredMs: number): Fields {
  const maxRetries = choice.of([3, 3, 3, 3, 0, 1, 2, 5]);
  let laddersMs = 0;
  for (let retry = 1; retry <= maxRetries; retry++) laddersMs += retryLadderMs(retry);
  const attemptsMs = (maxRetries + 1) * choice.below(800);
  const notBefore = Math.max(0, Math.round(enteredMs - laddersMs - attemptsMs));
  const delayMs = choice.chance(0.05) ? (1 + choice.below(60)) * 60_000 : 0;
  return { maxRetries, notBefore, createdAt: Math.max(0, notBefore - delayMs) };
}

/** What only some messages ask for. */
function optionalFields(choice: RandomChoice, origin: string): Fields {
  const [label, other] = [choice.skewed(labels), choice.skewed(labels)];
  const both = choice.chance(0.3) && label !== other;
  const some = (probability: number, fields: Fields): Fields => (choice.chance(probability) ? fields : {});
  return {
    ...some(0.1, { retryDelayExpression: choice.of(delays) }),
    ...some(0.08, {
      callback: `${origin}/callback`,
      callbackHeader: { "X-Callback-Key": [choice.token(8)] },
    }),
    ...some(0.15, { failureCallback: `${origin}/failed` }),
    ...some(0.06, { scheduleId: choice.skewed(schedules) }),
    ...some(0.45, { label, labels: both ? [label, other] : [label] }),
    ...some(0.2, {
      flowControlKey: choice.skewed(tenants),
      rate: choice.of([1, 10, 50]),
      period: choice.of([1, 60]),
      parallelism: choice.of([1, 2, 10]),
    }),
  };
}

/** `header` and body of a message: mostly JSON, some text, bytes that are not UTF-8, redacted, or nothing. */
function bodyPart(choice: RandomChoice): Part {
  const kind = choice.weighted({ json: 84, text: 5, binary: 6, redacted: 3, empty: 2 });
  const types = { text: "text/plain; charset=utf-8", binary: "image/jpeg" };
  const header = {
    "Content-Type": [kind === "text" || kind === "binary" ? types[kind] : "application/json"],
    ...(choice.chance(0.6) ? { "X-Request-Id": [choice.token(20)] } : {}),
    ...(choice.chance(0.3) ? { "X-Tenant": [choice.skewed(customers)] } : {}),
    ...(choice.chance(0.1) ? { "Accept-Language": ["de-DE", "en;q=0.8"] } : {}),
  };
  switch (kind) {
    case "json": {
      const event = `{"event":"${choice.skewed(events)}","id":"${choice.token(12)}","amount":${choice.below(100_000)}`;
      const body = (note: string): string => `${event},"note":"${note}"}`;
      return {
        fields: { header, body: body(""), bodyBase64: "" },
        fill: (length) => ({ body: body(choice.text(length)) }),
      };
    }
    case "text": {
      const body = "Grüße, 注文を確認 🙂 ";
      return {
        fields: { header, body, bodyBase64: "" },
        fill: (length) => ({ body: body + choice.text(length) }),
      };
    }
    case "binary":
      return {
        fields: { header, body: "", bodyBase64: choice.base64(8) },
        fill: (length) => ({ bodyBase64: choice.base64(length + 8) }),
      };
    case "redacted": {
      const redactedHeader = { ...header, "X-Api-Key": [redacted(choice.token(16))] };
      return { fields: { header: redactedHeader, body: redacted(choice.token(16)), bodyBase64: "" } };
    }
    case "empty":
      return { fields: { header, body: "", bodyBase64: "" } };
  }
}

const reasons: Readonly<Record<string, string>> = {
  503: "service unavailable",
  500: "internal error",
  502: "bad gateway",
  504: "gateway timeout",
  429: "too many requests",
  404: "not found",
  422: "unprocessable",
};

/** What the last attempt was answered with; nothing at all for one in fifteen. */
function responsePart(choice: RandomChoice, missingStatus: RecordForm["missingStatus"]): Part {
  const status = choice.weighted({ 503: 32, 500: 22, 502: 11, 504: 10, 429: 8, 404: 6, 422: 4, none: 7 });
  const nothing = { responseBody: "", responseBodyBase64: "" };
  if (status === "none") {
    return { fields: { responseStatus: missingStatus === "zero" ? 0 : undefined, ...nothing } };
  }
  const waits = status === "429" || (status === "503" && choice.chance(0.3));
  const retryAfter = waits ? { "Retry-After": [String(1 + choice.below(120))] } : {};
  const answer = (type: string): Fields => ({
    responseStatus: Number(status),
    responseHeader: { "Content-Type": [type], Server: ["nginx"], ...retryAfter },
    ...nothing,
  });
  if (choice.chance(0.03)) {
    return { fields: { ...answer("application/octet-stream"), responseBodyBase64: choice.base64(24) } };
  }
  const reason = reasons[status]!;
  const isPage = status === "502" || status === "504";
  const body = (detail: string): string =>
    isPage
      ? `<html><head><title>${status}</title></head><body>${reason} ${detail}</body></html>`
      : `{"error":"${reason}","detail":"${detail}"}`;
  return {
    fields: { ...answer(isPage ? "text/html" : "application/json"), responseBody: body("") },
    fill: (length) => ({ responseBody: body(choice.text(length)) }),
  };
}
