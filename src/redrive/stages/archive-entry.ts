import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import type { ArchiveEntry } from "../../ports/archive.ts";
import type { SourceRuntime } from "../runtime.ts";

/** The whole record as it was listed, with why it is kept. */
export function toArchiveEntry(
  source: SourceRuntime,
  dlqId: DlqId,
  record: RawRecord,
  kept: Pick<ArchiveEntry, "at" | "why" | "drain" | "rule">,
): ArchiveEntry {
  return { ...kept, source: source.config.id, dlqId, record };
}

/** False for a record nested so deep that it cannot be written as JSON again; one such must not keep a page from being kept. */
export function isWritable(record: RawRecord): boolean {
  try {
    JSON.stringify(record);
    return true;
  } catch {
    return false;
  }
}
