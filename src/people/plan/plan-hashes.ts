import { createHash, type Hash } from "node:crypto";
import type { BatchItem, RawRecord } from "../../job/message/dead-letter.ts";
import { itemNamesOf } from "../../job/message/headers.ts";
import { maxPieceUnits, toJsonPieces } from "../../job/message/json-text.ts";
import { isNestedTooDeep } from "../../job/message/write-safe-json.ts";

/** Of the record as listed, in any order of its fields: 22 characters of a SHA-256. */
export function hashRecord(raw: RawRecord): string {
  return hashCanonical(raw, 3);
}

/** Hash of an item, without its deduplication id and signed lineage: these differ between two attempts. */
export function hashItem(item: BatchItem, headerPrefix: string): string {
  return hashCanonical(withoutOwnHeaders(item, headerPrefix), 2);
}

export function withoutOwnHeaders(item: BatchItem, headerPrefix: string): BatchItem {
  const { deduplicationId, lineage } = itemNamesOf(headerPrefix);
  const own = new Set([deduplicationId, lineage]);
  return {
    ...item,
    headers: Object.fromEntries(Object.entries(item.headers).filter(([name]) => !own.has(name))),
  };
}

/** A large text goes into the hash in pieces, so it is not copied. */
function hashCanonical(value: unknown, depth: number): string {
  const sha = createHash("sha256");
  let text = "";
  writeCanonical(value, depth, (piece) => {
    text += piece;
    if (text.length < maxPieceUnits) return;
    sha.update(text);
    text = "";
  });
  return toShort(sha.update(text));
}

/** Members are sorted to the depth of a record's members. Deeper ones keep their order. */
function writeCanonical(value: unknown, depth: number, write: (piece: string) => void): void {
  if (depth > 0 && typeof value === "object" && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    let before = "{";
    for (const [name, inner] of members) {
      write(`${before}${JSON.stringify(name)}:`);
      writeCanonical(inner, depth - 1, write);
      before = ",";
    }
    return write(members.length === 0 ? "{}" : "}");
  }
  if (typeof value === "string" && value.length > maxPieceUnits) {
    for (const piece of toJsonPieces(value)) write(piece);
    return;
  }
  // Nesting is measured, not tried: the depth that JSON can write differs from place to place, and then the
  // two hashes of one record would differ.
  write(isNestedTooDeep(value) ? "nested too deep to be written" : (JSON.stringify(value) ?? "null"));
}

export function hash(text: string): string {
  return toShort(createHash("sha256").update(text));
}

function toShort(sha: Hash): string {
  return sha.digest("base64url").slice(0, 22);
}
