import type { DeadLetter } from "./dead-letter.ts";

/** What a record has at most one value of. */
export const singleFacets = [
  "messageId",
  "url",
  "topicName",
  "scheduleId",
  "queueName",
  "responseStatus",
  "callerIp",
  "flowControlKey",
] as const;

export type SingleFacet = (typeof singleFacets)[number];
/** What a filter can look at. */
export type Facet = SingleFacet | "label";
export const facets: readonly Facet[] = [...singleFacets, "label"];

/** The value as a query writes it, read from the record itself: a filter never sees what a listing does not show. */
export function facetOf(record: DeadLetter, facet: SingleFacet): string | undefined {
  switch (facet) {
    case "responseStatus": {
      const status = record["responseStatus"];
      // 0 finds records without an HTTP answer.
      return String(typeof status === "number" ? status : 0);
    }
    case "callerIp":
      return text(record["callerIP"]);
    case "messageId":
    case "url":
    case "topicName":
    case "scheduleId":
    case "queueName":
    case "flowControlKey":
      return text(record[facet]);
  }
}

export function labelsOf(record: DeadLetter): readonly string[] {
  const labels = Array.isArray(record["labels"]) ? record["labels"].filter(isString) : [];
  const label = text(record["label"]);
  return label === undefined || labels.includes(label) ? labels : [label, ...labels];
}

export const createdAtOf = (record: DeadLetter): number =>
  typeof record["createdAt"] === "number" ? record["createdAt"] : 0;

/** 32 bits of FNV-1a, mixed so that every bit counts; never 0, which stands for "absent". */
export function hashOf(value: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) | 0 || 1;
}

const isString = (value: unknown): value is string => typeof value === "string";
const text = (value: unknown): string | undefined => (isString(value) ? value : undefined);
