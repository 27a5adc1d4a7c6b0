import type { RawRecord } from "../../../job/message/dead-letter.ts";
import {
  toPrintable,
  toShownHeader,
  toShownJson,
  toShownText,
  toShownUrl,
} from "../../../job/message/show-masked-values.ts";

import { toAnyText } from "../../../job/message/write-safe-json.ts";

/** Fields about what became of a message, without anything of its content. */
const plain = new Set([
  "dlqId",
  "messageId",
  "topicName",
  "topicId",
  "endpointName",
  "queueName",
  "scheduleId",
  "method",
  "createdAt",
  "notBefore",
  "maxRetries",
  "retryDelayExpression",
  "responseStatus",
  "state",
  "label",
  "labels",
  "flowControlKey",
  "rate",
  "period",
  "parallelism",
  "callerIP",
  "workflowRunId",
]);
const addresses = new Set(["url", "callback", "failureCallback"]);
const headers = new Set(["header", "responseHeader", "callbackHeader", "failureCallbackHeader"]);

/** Leaves out bodies, header values, queries and all that is not known to be harmless. */
export function toMaskedRecord(record: RawRecord): RawRecord {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, toMasked(name, value)]));
}

function toMasked(name: string, value: unknown): unknown {
  if (value === "" || value === null) return value;
  if (plain.has(name)) return toPlain(value);
  if (addresses.has(name) && typeof value === "string") return toShownUrl(value, "masked");
  if (headers.has(name) && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([header, values]) => [
        toPrintable(header),
        (Array.isArray(values) ? values : [values]).map((one) => toShownHeader(toAnyText(one), "masked")),
      ]),
    );
  }
  return typeof value === "string" ? toShownText(value, "masked") : toShownJson(value, "masked");
}

function toPlain(value: unknown): unknown {
  if (typeof value === "string") return toPrintable(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.map(toPrintable);
  return toShownJson(value, "masked");
}
