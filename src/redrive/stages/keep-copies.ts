import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import type { Archive } from "../../ports/archive.ts";
import { isRedriverError } from "../../ports/errors.ts";
import type { DrainName } from "../../ports/ids.ts";
import { enteredAtOf } from "../drain-selects.ts";
import { noteIntent } from "../note-act.ts";
import { serviceNow, type SourceRuntime } from "../runtime.ts";
import { isWritable, toArchiveEntry } from "./archive-entry.ts";

/** What is to be kept, and for whom. */
export interface KeepingCopies {
  readonly archive: Archive | null;
  /** Null: kept by the census. */
  readonly drain: DrainName | null;
  readonly documentHash: string;
}

/**
 * Copies records, each once, whatever holds them, also those that nothing else can be done with; nothing is deleted by it. An
 * archive that fails is told and stops nothing: what has no copy is counted by the census. Throws `redis-unavailable`.
 */
export async function keepCopies(
  source: SourceRuntime,
  records: readonly RawRecord[],
  { archive, drain, documentHash }: KeepingCopies,
): Promise<void> {
  if (archive === null) return;
  const near = new Map<DlqId, RawRecord>();
  for (const raw of records) {
    if (enteredAtOf(raw) !== null) near.set(raw["dlqId"] as DlqId, raw);
  }
  if (near.size === 0) return;
  const missing = await source.copies.missing([...near.keys()]);
  const ids = missing.filter((dlqId) => isWritable(near.get(dlqId) ?? {}));
  const at = source.clock.now();
  const [first, ...rest] = ids.map((dlqId) =>
    toArchiveEntry(source, dlqId, near.get(dlqId) ?? {}, { at, why: "near-expiry", drain, rule: null }),
  );
  if (first === undefined) return;
  await noteIntent(
    source,
    "copy",
    ids.map((dlqId) => ({ dlqId, reason: "near-expiry" })),
    { drain, documentHash },
  );
  try {
    await archive.write([first, ...rest]);
  } catch (error) {
    if (!isRedriverError(error) || error.code !== "archive-unavailable") throw error;
    source.events.emit({ type: "archive:failed", source: source.config.id, message: error.message });
    return;
  }
  await source.copies.copied(ids);
  source.events.emit({ type: "archive:copied", source: source.config.id, drain, count: ids.length });
}

/** Those of a page whose retention ends within this. */
export function nearExpiry(
  source: SourceRuntime,
  records: readonly RawRecord[],
  withinMs: number,
): readonly RawRecord[] {
  const expiringBefore = serviceNow(source) + withinMs;
  return records.filter((raw) => {
    const enteredAt = enteredAtOf(raw);
    return enteredAt !== null && enteredAt + source.config.retentionMs <= expiringBefore;
  });
}
