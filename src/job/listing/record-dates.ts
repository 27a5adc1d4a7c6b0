import type { RawRecord } from "../message/dead-letter.ts";
import { enteredAtOf } from "../message/parse-record.ts";

export const hourMs = 60 * 60_000;
export const dayMs = 24 * hourMs;

/** The source may delete it until `by`. By its id, else by its creation. One without either is near. */
export function expiresBy(record: RawRecord, retentionMs: number, by: number): boolean {
  return (expiresAtOf(record, retentionMs) ?? by) <= by;
}

/** Unix ms, as above; null: the record has neither date. */
export function expiresAtOf(record: RawRecord, retentionMs: number): number | null {
  const at = enteredAtOf(record) ?? createdAtOf(record);
  return at === null ? null : at + retentionMs;
}

export function createdAtOf({ createdAt }: RawRecord): number | null {
  return typeof createdAt === "number" ? createdAt : null;
}
