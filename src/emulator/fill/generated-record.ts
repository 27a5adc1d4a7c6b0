import { retryLadderMs } from "../delivery/retry-ladder.ts";
import type { StoredDeadLetter } from "../dlq/stored-dead-letter.ts";
import type { EmulatorSettings } from "../options.ts";
import type { Choice } from "./random-choice.ts";
import type { Filler } from "./filler.ts";
import { bodyPart } from "./generated-body.ts";
import { responsePart } from "./generated-response.ts";

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
