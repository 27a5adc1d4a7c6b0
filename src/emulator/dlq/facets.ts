import type { DeadLetter } from "./dead-letter.ts";
import type { Facets } from "./dlq-query.ts";

/** What filters look at, read from the record itself: a filter never sees what a listing does not show. */
export function facetsOf(record: DeadLetter): Facets {
  const labels = Array.isArray(record["labels"]) ? record["labels"].filter(isString) : [];
  const label = text(record["label"]);
  return {
    messageId: text(record["messageId"]) ?? "",
    url: text(record["url"]) ?? "",
    topicName: text(record["topicName"]),
    scheduleId: text(record["scheduleId"]),
    queueName: text(record["queueName"]),
    responseStatus: number(record["responseStatus"]),
    callerIp: text(record["callerIP"]),
    labels: label === undefined || labels.includes(label) ? labels : [label, ...labels],
    flowControlKey: text(record["flowControlKey"]),
    createdAt: number(record["createdAt"]),
  };
}

const isString = (value: unknown): value is string => typeof value === "string";
const text = (value: unknown): string | undefined => (isString(value) ? value : undefined);
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
