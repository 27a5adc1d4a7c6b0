import { isObject, isTime, parseJson } from "../message/json-value.ts";
import { toPrintable } from "../message/show-masked-values.ts";
import { archiveReasons, type ArchiveEntry } from "../contracts/archive.ts";
import type { DrainName, SourceId } from "../contracts/ids.ts";

const noEntry = "no entry of an archive";

export function toLine({ at, source, drain, why, rule, dlqId, record }: ArchiveEntry): string {
  return `${JSON.stringify({ at, source, drain, why, rule, dlqId, record })}\n`;
}

/** A text if no process of ours wrote the line (without its newline): why not. Skips unknown keys of later versions. */
export function parseLine(line: string): ArchiveEntry | string {
  const value = parseJson(line);
  if (!isObject(value)) return noEntry;
  const { at, source, drain, why, rule, dlqId, record } = value;
  if (!isTime(at) || typeof source !== "string" || typeof dlqId !== "string") return noEntry;
  if (!isTextOrNull(drain) || !isTextOrNull(rule) || !isObject(record)) return noEntry;
  const reason = archiveReasons.find((one) => one === why);
  if (reason === undefined) return noEntry;
  if (record["dlqId"] !== dlqId) {
    const other = toPrintable(JSON.stringify(record["dlqId"] ?? null));
    return `the entry of ${toPrintable(JSON.stringify(dlqId))} has the record of ${other}`;
  }
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

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
