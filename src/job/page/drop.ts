/**
 * Drops records by rule. The order guarantees that only archived records are deleted:
 *
 *   begin, audit ─► archive (whole and synced) ─► ledger: archived ─► the caller settles
 *
 * If a step fails, the record stays in the DLQ. A later pass drops it again, and the archive may then hold it
 * twice.
 */
import { hostOf } from "../message/destination-url.ts";
import type { Archive, ArchiveEntry } from "../contracts/archive.ts";
import { isRedisAway, isRedriverError, unlessRedisAway } from "../contracts/errors.ts";
import type { Token } from "../contracts/ids.ts";
import type { DrainRuntime } from "../runtime.ts";
import { toAuditRecord } from "./audit-record.ts";
import { begin } from "./begin-in-ledger.ts";
import { isWritable, reportUnwritable } from "./keep-copies.ts";
import type { DecidedRecord } from "./records.ts";
import { held, inDoubt, type DropResult } from "./results.ts";

/** Drops records and answers one result each. Throws `redis-unavailable` only before anything was begun. */
export async function drop(
  drain: DrainRuntime,
  toDrop: readonly DecidedRecord[],
  pageReadAt: number,
): Promise<readonly DropResult[]> {
  const { source, config, archive } = drain;
  if (archive === null) return toDrop.map((record) => held(record, "archive-missing"));
  const records: DecidedRecord[] = [];
  const unwritable: DropResult[] = [];
  for (const record of toDrop) {
    if (isWritable(record.raw)) records.push(record);
    else unwritable.push(held(record, "archive-missing"));
  }
  reportUnwritable(source, unwritable.length);
  if (records.length === 0) return unwritable;
  if (config.paused) return [...records.map((record) => held(record, "paused")), ...unwritable];
  const token = source.identities.token();
  const { begun, results, recordBegun } = await begin(drain, records, {
    attemptOf: ({ attempt }) => attempt + 1,
    toAuditRecord: ({ candidate }) =>
      toAuditRecord(candidate, candidate.attempt, hostOf(candidate.letter.url)),
    token,
    act: "drop",
    pageReadAt,
    pastHorizon: "leave",
  });
  const candidates = begun.map(({ candidate }) => candidate);
  return [...results, ...(await keep(drain, archive, candidates, { token, recordBegun })), ...unwritable];
}

async function keep(
  drain: DrainRuntime,
  archive: Archive,
  records: readonly DecidedRecord[],
  { token, recordBegun }: { readonly token: Token; readonly recordBegun: () => Promise<void> },
): Promise<readonly DropResult[]> {
  const { source, config } = drain;
  const ids = records.map(({ letter }) => letter.dlqId);
  const at = source.clock.now();
  const [first, ...rest] = records.map(({ letter, raw, decision }): ArchiveEntry => ({
    at,
    why: "dropped",
    drain: config.name,
    rule: decision.rule,
    source: source.config.id,
    dlqId: letter.dlqId,
    record: raw,
  }));
  if (first === undefined) return [];
  try {
    await recordBegun();
    const { file } = await archive.write([first, ...rest]);
    const { verdicts } = await source.ledger.archived(ids, file, token);
    return records.map((candidate, index) =>
      verdicts[index] === "recorded" ? { kind: "dropped", candidate } : inDoubt(candidate),
    );
  } catch (error) {
    // The ledger does not know the copy, so nothing is deleted. Whoever may begin next begins again.
    if (isRedisAway(error)) return records.map(inDoubt);
    if (!isRedriverError(error) || error.code !== "archive-unavailable") throw error;
    source.events.emit({ type: "archive:failed", source: source.config.id, message: error.message });
    // Nothing was archived and nothing was sent, so the records cool and may be dropped again.
    const requests = ids.map((dlqId) => ({ dlqId, outcome: "not-sent", coolMs: 0 }) as const);
    await unlessRedisAway(() => source.ledger.refused(requests, token), undefined);
    return records.map((record) => held(record, "archive-missing"));
  }
}
