import { createHash } from "node:crypto";
import { retryLadderMs } from "../delivery/retry-waits.ts";
import type { StoredDeadLetter } from "../dlq/stored-dead-letter.ts";
import type { EmulatorSettings } from "../options.ts";
import type { Choice, Filler } from "./random-choice.ts";

export type RecordShape = Pick<EmulatorSettings, "missingStatus" | "earlierForm">;

export interface Ingredients {
  readonly choice: Choice;
  readonly filler: Filler;
  readonly shape: RecordShape;
  readonly destinations: readonly string[];
  readonly recordBytes: number;
}

type Fields = Readonly<Record<string, unknown>>;

const groups = ["order-events", "billing", "warehouse", "audit"];
const endpoints = ["primary", "mirror", undefined];
const queues = ["mail", "orders", "imports", "nightly"];
const schedules = ["scd_hourly", "scd_daily", "scd_monthly"];
const labels = ["orders", "payments", "mail", "import", "vip", "canary", "nightly"];
const tenants = ["tenant-a", "tenant-b", "tenant-c", "tenant-d", "tenant-e", "tenant-f"];
const callerIps = ["203.0.113.7", "203.0.113.8", "198.51.100.21", "192.0.2.140", "2001:db8::17"];
const delays = ["1000 * (1 + retried)", "pow(2, retried) * 1000", "min(60000, 2^retried * 500)"];

/** A dead letter as a service has them that is some years old and has some tenants. */
export function generatedRecord(
  ingredients: Ingredients,
  dlqId: string,
  enteredMs: number,
): StoredDeadLetter {
  const { choice, filler, shape, recordBytes } = ingredients;
  const url = choice.skewed(ingredients.destinations);
  const body = bodyPart(choice, filler);
  const response = responsePart(choice, filler, shape.missingStatus);
  const record: Record<string, unknown> = {
    dlqId,
    messageId: `msg_${choice.token(24)}`,
    url,
    ...targetFields(choice, shape),
    method: choice.weighted([
      ["POST", 90],
      ["PUT", 7],
      ["PATCH", 3],
    ]),
    ...body.fields,
    ...timeFields(choice, enteredMs),
    ...callbackFields(choice, url),
    scheduleId: choice.chance(0.06) ? choice.skewed(schedules) : undefined,
    callerIP: choice.skewed(callerIps),
    ...labelFields(choice),
    ...flowFields(choice),
    ...response.fields,
  };
  const missing = recordBytes - Buffer.byteLength(JSON.stringify(record));
  const fill = body.fill ?? response.fill;
  if (missing > 0 && fill !== undefined) Object.assign(record, fill(missing));
  return record;
}

function targetFields(choice: Choice, shape: RecordShape): Fields {
  const kind = choice.weighted([
    ["url", 58],
    ["group", 17],
    ["queue", 25],
  ]);
  const state = shape.earlierForm ? { state: "failed" } : {};
  switch (kind) {
    case "url":
      return state;
    case "queue":
      return { queueName: choice.skewed(queues), ...state };
    case "group": {
      const topicName = choice.skewed(groups);
      const topicId = shape.earlierForm ? `top_${topicName}` : undefined;
      return { topicName, endpointName: choice.of(endpoints), topicId, ...state };
    }
  }
}

/** A message enters once its last attempt has failed: that long before, its ladder began. */
function timeFields(choice: Choice, enteredMs: number): Fields {
  const maxRetries = choice.of([3, 3, 3, 3, 0, 1, 2, 5]);
  let laddersMs = 0;
  for (let retry = 1; retry <= maxRetries; retry++) laddersMs += retryLadderMs(retry);
  const attemptsMs = (maxRetries + 1) * choice.below(800);
  const notBefore = Math.max(0, Math.round(enteredMs - laddersMs - attemptsMs));
  const delayMs = choice.chance(0.05) ? (1 + choice.below(60)) * 60_000 : 0;
  return {
    maxRetries,
    retryDelayExpression: choice.chance(0.1) ? choice.of(delays) : undefined,
    notBefore,
    createdAt: Math.max(0, notBefore - delayMs),
  };
}

function callbackFields(choice: Choice, url: string): Fields {
  const { origin } = new URL(url);
  return {
    ...(choice.chance(0.08)
      ? { callback: `${origin}/callback`, callbackHeader: { "X-Callback-Key": [choice.token(8)] } }
      : {}),
    ...(choice.chance(0.15) ? { failureCallback: `${origin}/failed` } : {}),
  };
}

function labelFields(choice: Choice): Fields {
  if (!choice.chance(0.45)) return {};
  const first = choice.skewed(labels);
  const second = choice.skewed(labels);
  return { label: first, labels: choice.chance(0.3) && first !== second ? [first, second] : [first] };
}

function flowFields(choice: Choice): Fields {
  if (!choice.chance(0.2)) return {};
  return {
    flowControlKey: choice.skewed(tenants),
    rate: choice.of([1, 10, 50]),
    period: choice.of([1, 60]),
    parallelism: choice.of([1, 2, 10]),
  };
}

/** Part of a record, and how to make it longer by so many characters where that can be done. */
interface Part {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly fill: ((length: number) => Readonly<Record<string, unknown>>) | undefined;
}

const events = ["order.created", "order.paid", "refund.requested", "invoice.sent", "stock.changed"];

/** `header` and body of a message: mostly JSON, some text, bytes that are not UTF-8, redacted, or nothing. */
function bodyPart(choice: Choice, filler: Filler): Part {
  const kind = choice.weighted([
    ["json", 84],
    ["text", 5],
    ["binary", 6],
    ["redacted", 3],
    ["empty", 2],
  ]);
  switch (kind) {
    case "json": {
      const event = `{"event":"${choice.skewed(events)}","id":"${choice.token(12)}","amount":${choice.below(100_000)}`;
      const body = (note: string): string => `${event},"note":"${note}"}`;
      return {
        fields: { ...headerOf(choice, "application/json"), body: body(""), bodyBase64: "" },
        fill: (length) => ({ body: body(filler.text(length)) }),
      };
    }
    case "text": {
      const greeting = "Grüße, 注文を確認 🙂 ";
      return {
        fields: { ...headerOf(choice, "text/plain; charset=utf-8"), body: greeting, bodyBase64: "" },
        fill: (length) => ({ body: greeting + filler.text(length) }),
      };
    }
    case "binary":
      return {
        fields: { ...headerOf(choice, "image/jpeg"), body: "", bodyBase64: filler.base64(8) },
        fill: (length) => ({ bodyBase64: filler.base64(length + 8) }),
      };
    case "redacted": {
      const { header } = headerOf(choice, "application/json");
      const secret = { ...header, "X-Api-Key": [redacted(choice.token(16))] };
      return {
        fields: { header: secret, body: redacted(choice.token(16)), bodyBase64: "" },
        fill: undefined,
      };
    }
    case "empty":
      return {
        fields: { ...headerOf(choice, "application/json"), body: "", bodyBase64: "" },
        fill: undefined,
      };
  }
}

function headerOf(
  choice: Choice,
  contentType: string,
): { readonly header: Readonly<Record<string, string[]>> } {
  return {
    header: {
      "Content-Type": [contentType],
      ...(choice.chance(0.6) ? { "X-Request-Id": [choice.token(20)] } : {}),
      ...(choice.chance(0.3)
        ? { "X-Tenant": [choice.skewed(["acme", "globex", "initech", "umbrella"])] }
        : {}),
      ...(choice.chance(0.1) ? { "Accept-Language": ["de-DE", "en;q=0.8"] } : {}),
    },
  };
}

const redacted = (content: string): string =>
  `REDACTED:${createHash("sha256").update(content).digest("hex")}`;

const reasons: Readonly<Record<number, string>> = {
  404: "not found",
  422: "unprocessable",
  429: "too many requests",
  500: "internal error",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout",
};

/** What the last attempt was answered with; nothing at all for one in fifteen. */
function responsePart(
  choice: Choice,
  filler: Filler,
  missingStatus: EmulatorSettings["missingStatus"],
): Part {
  const status = choice.weighted([
    [503, 32],
    [500, 22],
    [502, 11],
    [504, 10],
    [429, 8],
    [404, 6],
    [422, 4],
    [0, 7],
  ]);
  if (status === 0) {
    const responseStatus = missingStatus === "zero" ? 0 : undefined;
    return { fields: { responseStatus, responseBody: "", responseBodyBase64: "" }, fill: undefined };
  }
  const wait = status === 429 || (status === 503 && choice.chance(0.3));
  const header = wait ? { "Retry-After": [String(1 + choice.below(120))] } : {};
  const reason = reasons[status]!;
  if (choice.chance(0.03)) {
    return {
      fields: {
        responseStatus: status,
        responseHeader: { "Content-Type": ["application/octet-stream"], ...header },
        responseBody: "",
        responseBodyBase64: filler.base64(24),
      },
      fill: undefined,
    };
  }
  const page = status === 502 || status === 504;
  const body = (detail: string): string =>
    page
      ? `<html><head><title>${status}</title></head><body>${reason} ${detail}</body></html>`
      : `{"error":"${reason}","detail":"${detail}"}`;
  return {
    fields: {
      responseStatus: status,
      responseHeader: {
        "Content-Type": [page ? "text/html" : "application/json"],
        Server: ["nginx"],
        ...header,
      },
      responseBody: body(""),
      responseBodyBase64: "",
    },
    fill: (length) => ({ responseBody: body(filler.text(length)) }),
  };
}
