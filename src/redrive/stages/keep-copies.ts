import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import type { Archive } from "../../ports/archive.ts";
import { isRedriverError } from "../../ports/errors.ts";
import { enteredAtOf } from "../drain-selects.ts";
import { noteIntent, type ActOf } from "../note-act.ts";
import { serviceNow, type SourceRuntime } from "../runtime.ts";
import { isWritable, toArchiveEntry } from "./archive-entry.ts";

/** Where copies are kept, and for whom: the census keeps them for no drain. */
export interface KeepingCopies extends ActOf {
  readonly archive: Archive | null;
}

/**
 * Copies records, each once, whatever holds them, also those that nothing else can be done with; nothing is deleted by it. An
 * archive that fails is told and stops nothing: what has no copy is counted by the census. Throws `redis-unavailable`.
 */
export async function keepCopies(
  source: SourceRuntime,
  records: readonly RawRecord[],
  { archive, ...of }: KeepingCopies,
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
  const { drain } = of;
  const [first, ...rest] = ids.map((dlqId) =>
    toArchiveEntry(source, dlqId, near.get(dlqId) ?? {}, { at, why: "near-expiry", drain, rule: null }),
  );
  if (first === undefined) return;
  await noteIntent(
    source,
    "copy",
    ids.map((dlqId) => ({ dlqId, reason: "near-expiry" })),
    of,
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
