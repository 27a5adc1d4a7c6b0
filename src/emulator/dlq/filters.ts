import type { StoredDeadLetter } from "./stored-dead-letter.ts";

/**
 * The fields of a record that a filter can look at. `label` can have several values, the others at most one.
 */
export const filterFields = [
  "messageId",
  "url",
  "topicName",
  "scheduleId",
  "queueName",
  "responseStatus",
  "callerIp",
  "flowControlKey",
  "label",
] as const;

export type FilterField = (typeof filterFields)[number];

/** A record matches if its value, or one of its labels, is among the values. */
export interface Filter {
  readonly field: FilterField;
  readonly values: ReadonlySet<string>;
}

/** The values as a query writes them. A filter never sees what a listing does not show. */
export function valuesOf(record: StoredDeadLetter, field: FilterField): readonly string[] {
  if (field === "responseStatus") {
    const status = record["responseStatus"];
    // 0 finds records without an HTTP answer.
    return [String(typeof status === "number" ? status : 0)];
  }
  if (field === "callerIp") return text(record["callerIP"]);
  if (field === "label") return [record["label"], record["labels"]].flat().flatMap(text);
  return text(record[field]);
}

const text = (value: unknown): string[] => (typeof value === "string" ? [value] : []);
