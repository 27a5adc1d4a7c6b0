import { createHash } from "node:crypto";
import type { BatchItem, RawRecord } from "../../job/message/dead-letter.ts";
import { itemNamesOf } from "../../job/message/headers.ts";
import { isNestedTooDeep } from "../../job/message/write-safe-json.ts";

/** Of the record as listed, in any order of its fields: 22 characters of a SHA-256. */
export function hashRecord(raw: RawRecord): string {
  return hash(toCanonical(raw, 3));
}

/** Hash of an item, without its deduplication id and signed lineage: these differ between two attempts. */
export function hashItem(item: BatchItem, headerPrefix: string): string {
  return hash(toCanonical(withoutOwnHeaders(item, headerPrefix), 2));
}

export function withoutOwnHeaders(item: BatchItem, headerPrefix: string): BatchItem {
  const { deduplicationId, lineage } = itemNamesOf(headerPrefix);
  const own = new Set([deduplicationId, lineage]);
  return {
    ...item,
    headers: Object.fromEntries(Object.entries(item.headers).filter(([name]) => !own.has(name))),
  };
}

/** Members are sorted to the depth of a record's members. Deeper ones keep their order. */
function toCanonical(value: unknown, depth: number): string {
  if (depth > 0 && typeof value === "object" && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${toCanonical(inner, depth - 1)}`).join(",")}}`;
  }
  // Nesting is measured, not tried: the depth that JSON can write differs from place to place, and then the
  // two hashes of one record would differ.
  return isNestedTooDeep(value) ? "nested too deep to be written" : (JSON.stringify(value) ?? "null");
}

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}
