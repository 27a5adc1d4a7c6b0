import type { AuditAct, AuditRecord, NewAuditEntry } from "./contracts/audit.ts";
import type { DrainRuntime, SourceRuntime } from "./runtime.ts";

/** On whose behalf an act is done. `why` is a person's reason. */
export type ActOf = Omit<NewAuditEntry, "act" | "by" | "source" | "records">;

export function ofDrain({ config, documentHash, passId, discard }: DrainRuntime): ActOf {
  return {
    drain: config.name,
    documentHash,
    ...(passId === undefined ? {} : { passId }),
    ...discard,
  };
}

export function toEntry(
  { by, config }: SourceRuntime,
  act: AuditAct,
  records: readonly AuditRecord[],
  of: ActOf,
): NewAuditEntry {
  return { act, by, source: config.id, ...of, records };
}

/** Records in the audit what is about to be done. Throws `redis-unavailable`; then it must not be done. */
export async function recordIntent(
  source: SourceRuntime,
  act: Exclude<AuditAct, "published">,
  records: readonly AuditRecord[],
  of: ActOf,
): Promise<void> {
  await source.audit.append([toEntry(source, act, records, of)]);
}

/** Records what is proven, or must be done even without Redis. Without Redis it is written later. */
export async function recordFact(
  source: SourceRuntime,
  act: "published" | "delete" | "copy",
  records: readonly AuditRecord[],
  of: ActOf,
): Promise<void> {
  if (records.length === 0) return;
  await source.audit.record([toEntry(source, act, records, of)]);
}
