import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { isNestedTooDeep, maxNestedLevels } from "../../message/json-depth.ts";
import type { ArchiveEntry } from "../../ports/archive.ts";
import type { SourceRuntime } from "../runtime.ts";

/** The whole record as it was listed, with the reason for its copy. */
export function toArchiveEntry(
  source: SourceRuntime,
  dlqId: DlqId,
  record: RawRecord,
  kept: Pick<ArchiveEntry, "at" | "why" | "drain" | "rule">,
): ArchiveEntry {
  return { ...kept, source: source.config.id, dlqId, record };
}

/** False for a record nested too deep to be written as JSON. One such record must not stop the copies of its page. */
export function isWritable(record: RawRecord): boolean {
  return !isNestedTooDeep(record);
}

/** Reports records that are not in the archive because they are not writable. */
export function reportUnwritable({ events, config }: SourceRuntime, count: number): void {
  if (count === 0) return;
  const message = `expected records nested at most ${maxNestedLevels} levels deep, got ${count} deeper: not kept, so neither dropped nor copied`;
  events.emit({ type: "archive:failed", source: config.id, message });
}
