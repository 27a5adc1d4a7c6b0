/**
 * Drops records by rule. The order guarantees that only archived records are deleted:
 *
 *   begin ─► audit ─► archive (whole and synced) ─► ledger: archived ─► the caller settles
 *
 * If a step fails, the record stays in the DLQ. A later pass drops it again, and the archive may then hold it twice.
 */
import { isRedisAway, isRedriverError, unlessRedisAway } from "../../ports/errors.ts";
import type { Archive } from "../../ports/archive.ts";
import type { Token } from "../../ports/ids.ts";
import { recordIntent, ofDrain } from "../record-act.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isWritable, reportUnwritable, toArchiveEntry } from "./keep-copies.ts";
import { parentOf } from "./audit-record.ts";
import { held, inDoubt, notBegun, type DecidedRecord, type DropResult } from "./records.ts";

/** Drops these records and answers one result each. Throws `redis-unavailable` only before anything was begun. */
export async function drop(
  drain: DrainRuntime,
  toDrop: readonly DecidedRecord[],
  pageReadAt: number,
): Promise<readonly DropResult[]> {
  const unwritable: DropResult[] = [];
  const records: DecidedRecord[] = [];
  for (const record of toDrop) {
    if (isWritable(record.raw)) records.push(record);
    else unwritable.push(held(record, "archive-missing"));
  }
  if (drain.archive !== null) reportUnwritable(drain.source, unwritable.length);
  return [...(await dropWritable(drain, records, pageReadAt)), ...unwritable];
}

async function dropWritable(
  drain: DrainRuntime,
  records: readonly DecidedRecord[],
  pageReadAt: number,
): Promise<readonly DropResult[]> {
  const { source, config, archive } = drain;
  if (records.length === 0) return [];
  if (archive === null) return records.map((record) => held(record, "archive-missing"));
  if (config.paused) return records.map((record) => held(record, "paused"));
  const token = source.identities.token();
  const answer = await source.ledger.begin(
    records.map(({ letter, attempt }) => ({
      dlqId: letter.dlqId,
      messageId: letter.messageId,
      attempt: attempt + 1,
    })),
    {
      token,
      drain: config.name,
      act: "drop",
      pageReadAt,
      pastHorizon: "leave",
      rulesHash: config.rulesHash,
    },
  );
  if (answer.kind !== "answered") return records.map((record) => held(record, answer.kind));

  const results: DropResult[] = [];
  const begun: DecidedRecord[] = [];
  for (const [index, record] of records.entries()) {
    const verdict = answer.verdicts[index];
    if (verdict?.kind === "begun") begun.push(record);
    else if (verdict !== undefined) results.push(notBegun(record, verdict));
  }
  return [...results, ...(await keep(drain, archive, begun, token))];
}

async function keep(
  drain: DrainRuntime,
  archive: Archive,
  records: readonly DecidedRecord[],
  token: Token,
): Promise<readonly DropResult[]> {
  const { source, config } = drain;
  const at = source.clock.now();
  const [first, ...rest] = records.map((record) =>
    toArchiveEntry(source, record.letter.dlqId, record.raw, {
      at,
      why: "dropped",
      drain: config.name,
      rule: record.decision.rule,
    }),
  );
  if (first === undefined) return [];
  try {
    await recordIntent(source, "drop", records.map(toAuditRecord), ofDrain(drain));
    const { file } = await archive.write([first, ...rest]);
    const { verdicts } = await source.ledger.archived(
      records.map(({ letter }) => letter.dlqId),
      file,
      token,
    );
    return records.map((candidate, index) =>
      verdicts[index] === "recorded" ? { kind: "dropped", candidate } : inDoubt(candidate),
    );
  } catch (error) {
    // The ledger does not know the copy, so nothing is deleted. Whoever may begin next begins again.
    if (isRedisAway(error)) return records.map(inDoubt);
    if (!isRedriverError(error) || error.code !== "archive-unavailable") throw error;
    source.events.emit({ type: "archive:failed", source: source.config.id, message: error.message });
    return giveBack(drain, records, token);
  }
}

/** Nothing was archived and nothing was sent, so the records cool and may be dropped again. */
async function giveBack(
  { source }: DrainRuntime,
  records: readonly DecidedRecord[],
  token: Token,
): Promise<readonly DropResult[]> {
  const requests = records.map(({ letter }) => ({
    dlqId: letter.dlqId,
    outcome: "not-sent" as const,
    coolMs: 0,
  }));
  await unlessRedisAway(() => source.ledger.refused(requests, token), undefined);
  return records.map((record) => held(record, "archive-missing"));
}

function toAuditRecord(record: DecidedRecord) {
  const { letter, decision, attempt } = record;
  return {
    dlqId: letter.dlqId,
    rule: decision.rule,
    reason: decision.reason,
    attempt,
    ...parentOf(record),
  };
}
