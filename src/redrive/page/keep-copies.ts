import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import type { Archive, ArchiveEntry } from "../../ports/archive.ts";
import { isRedriverError } from "../../ports/errors.ts";
import { expiresBy } from "../listing/drain-selects.ts";
import { recordFact, type ActOf } from "../record-act.ts";
import { serviceNow, type SourceRuntime } from "../runtime.ts";
import { createHash } from "node:crypto";
import { toEnteredAt } from "../../message/parse-record.ts";
import { isNestedTooDeep, maxNestedLevels } from "../../message/json-depth.ts";

/** The archive for the copies, and the drain they are kept for. The census keeps copies for no drain. */
export interface KeepingCopies extends ActOf {
  readonly archive: Archive | null;
}

/**
 * Copies records to the archive, each once, whatever holds them. Nothing is deleted. A failing archive is reported and stops
 * nothing: the census counts records without a copy. A Redis that is away or takes no writes stops nothing either: a second copy
 * costs less than no copy.
 */
export async function keepCopies(
  source: SourceRuntime,
  records: readonly RawRecord[],
  { archive, ...of }: KeepingCopies,
): Promise<void> {
  if (archive === null) return;
  const near = new Map<DlqId, RawRecord>();
  for (const raw of records) {
    const key = copyKeyOf(raw);
    if (key !== null) near.set(key, raw);
  }
  if (near.size === 0) return;
  const missing = await source.copies.missing([...near.keys()]);
  const keys = missing.filter((key) => isWritable(near.get(key) ?? {}));
  reportUnwritable(source, missing.length - keys.length);
  const at = source.clock.now();
  const { drain } = of;
  const [first, ...rest] = keys.map((key) => {
    const raw = near.get(key) ?? {};
    const dlqId = raw["dlqId"] as DlqId;
    return toArchiveEntry(source, dlqId, raw, { at, why: "near-expiry", drain, rule: null });
  });
  if (first === undefined) return;
  await recordFact(
    source,
    "copy",
    keys.map((dlqId) => ({ dlqId, reason: "near-expiry" })),
    of,
  );
  try {
    await archive.write([first, ...rest]);
  } catch (error) {
    if (!isRedriverError(error) || error.code !== "archive-unavailable") throw error;
    source.events.emit({ type: "archive:failed", source: source.config.id, message: error.message });
    return;
  }
  await source.copies.copied(keys);
  source.events.emit({ type: "archive:copied", source: source.config.id, drain, count: keys.length });
}

/** The records of a page that expire within `withinMs`. */
export function nearExpiry(
  source: SourceRuntime,
  records: readonly RawRecord[],
  withinMs: number,
): readonly RawRecord[] {
  const by = serviceNow(source) + withinMs;
  return records.filter((raw) => expiresBy(raw, source.config.retentionMs, by));
}

/**
 * The name of a record's copy in Redis and in the audit: its id, or a hash of the id if that has not the documented form, because
 * such an id may hold anything. Null without an id: such a record cannot be distinguished from another.
 */
export function copyKeyOf({ dlqId }: RawRecord): DlqId | null {
  if (typeof dlqId !== "string" || dlqId === "") return null;
  if (toEnteredAt(dlqId) !== null) return dlqId as DlqId;
  return `id_hash-${createHash("sha256").update(dlqId).digest("hex").slice(0, 24)}` as DlqId;
}

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
