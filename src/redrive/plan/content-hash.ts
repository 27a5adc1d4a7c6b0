import { createHash } from "node:crypto";
import type { BatchItem, RawRecord } from "../../message/dead-letter.ts";
import { isNestedTooDeep } from "../../message/nesting.ts";
import { deduplicationHeader, lineageHeader } from "../../message/rebuild-item.ts";

/** Of the record as listed, whatever the order of its fields: 22 characters of a SHA-256. */
export function hashRecord(raw: RawRecord): string {
  return hash(toCanonical(raw, 3));
}

/** Of what would be published, without what differs between two attempts at the same: deduplication id and signed lineage. */
export function hashItem(item: BatchItem, headerPrefix: string): string {
  return hash(toCanonical(withoutOwnHeaders(item, headerPrefix), 2));
}

export function withoutOwnHeaders(item: BatchItem, headerPrefix: string): BatchItem {
  const own = new Set([deduplicationHeader(headerPrefix), lineageHeader(headerPrefix)]);
  return {
    ...item,
    headers: Object.fromEntries(Object.entries(item.headers).filter(([name]) => !own.has(name))),
  };
}

/** Members are sorted as deep as a record has members; what is nested deeper is taken as it was listed. */
function toCanonical(value: unknown, depth: number): string {
  if (depth > 0 && typeof value === "object" && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${toCanonical(inner, depth - 1)}`).join(",")}}`;
  }
  // Not by trying: what can be written at one place cannot at another, and then the two hashes of one record would differ.
  return isNestedTooDeep(value) ? "nested too deep to be written" : (JSON.stringify(value) ?? "null");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}
