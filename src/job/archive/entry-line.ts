import { isObject, parseJson } from "../message/json-value.ts";
import { archiveReasons, type ArchiveEntry } from "../contracts/archive.ts";
import type { DrainName, SourceId } from "../contracts/ids.ts";

export function toLine({ at, source, drain, why, rule, dlqId, record }: ArchiveEntry): string {
  return `${JSON.stringify({ at, source, drain, why, rule, dlqId, record })}\n`;
}

/** Null if no process of ours wrote the line (without its newline). Skips unknown keys of later versions. */
export function parseLine(line: string): ArchiveEntry | null {
  const value = parseJson(line);
  if (!isObject(value)) return null;
  const { at, source, drain, why, rule, dlqId, record } = value;
  if (!isTime(at) || typeof source !== "string" || typeof dlqId !== "string") return null;
  if (!isTextOrNull(drain) || !isTextOrNull(rule) || !isObject(record)) return null;
  const reason = archiveReasons.find((one) => one === why);
  if (reason === undefined) return null;
  return {
    at,
    source: source as SourceId,
    drain: drain as DrainName | null,
    why: reason,
    rule,
    dlqId: dlqId as ArchiveEntry["dlqId"],
    record,
  };
}

/** A moment that a `Date` can hold. */
function isTime(at: unknown): at is number {
  return typeof at === "number" && Math.abs(at) <= 8.64e15;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
