/**
 * Drops records by rule, or by a person's order to discard them. The order guarantees that only archived records are deleted:
 *
 *   begin, audit ─► archive (whole and synced) ─► ledger: archived ─► the caller settles
 *
 * If a step fails, the record stays in the DLQ. A later pass drops it again, and the archive may then hold it
 * twice. If the worker dies, the ledger knows a discard as one, so the sweep ends it. If the archive fails, what was
 * parked is parked again.
 */
import type { Archive, ArchiveEntry } from "../contracts/archive.ts";
import { isRedisAway, isRedriverError, unlessRedisAway } from "../contracts/errors.ts";
import type { Token } from "../contracts/ids.ts";
import type { ParkRequest, RefusedRequest } from "../contracts/ledger.ts";
import { isOfInput } from "../by-halves.ts";
import { isNestedTooDeep } from "../message/write-safe-json.ts";
import type { HoldReason } from "../rules/decision.ts";
import type { DrainRuntime } from "../runtime.ts";
import { begin } from "./begin.ts";
import { hold, leaveInDoubt } from "./fate.ts";
import { reportUnwritable } from "./keep-copies.ts";
import { idsOf, type Letter } from "./letter.ts";

/** Each that is decided so gets its fate. Throws `redis-unavailable` only before anything was begun. */
export async function drop(drain: DrainRuntime, decided: readonly Letter[], pageReadAt: number) {
  const { source, config, archive } = drain;
  const toDrop = decided.filter(({ decision, fate }) => decision.then === "drop" && fate === null);
  if (archive === null || archive.problem()?.isResting) return holdAll(toDrop, "archive-missing");
  const unwritable = toDrop.filter(({ raw }) => isNestedTooDeep(raw));
  holdAll(unwritable, "archive-missing");
  reportUnwritable(source, unwritable.length);
  const letters = toDrop.filter(({ fate }) => fate === null);
  if (letters.length === 0) return;
  if (config.paused) return holdAll(letters, "paused");
  const token = source.identities.token();
  const by = drain.discard === undefined ? {} : { isDiscard: true as const };
  const beginning = { act: "drop", token, pageReadAt, pastHorizon: "leave", ...by } as const;
  const { begun, recordBegun } = await begin(drain, letters, beginning);
  await keep(
    drain,
    archive,
    begun.map(({ letter }) => letter),
    { token, recordBegun },
  );
}

function holdAll(letters: readonly Letter[], reason: HoldReason): void {
  for (const letter of letters) hold(letter, reason);
}

async function keep(
  drain: DrainRuntime,
  archive: Archive,
  letters: readonly Letter[],
  { token, recordBegun }: { readonly token: Token; readonly recordBegun: () => Promise<void> },
): Promise<void> {
  const { source, config } = drain;
  const ids = idsOf(letters);
  const at = source.clock.now();
  const [first, ...rest] = letters.map(({ dlqId, raw, decision }): ArchiveEntry => ({
    at,
    why: drain.discard === undefined ? "dropped" : "discarded",
    drain: config.name,
    rule: decision.rule,
    source: source.config.id,
    dlqId,
    record: raw,
  }));
  if (first === undefined) return;
  try {
    await recordBegun();
    const { file } = await archive.write([first, ...rest]);
    const { verdicts } = await source.ledger.archived(ids, file, token);
    for (const [index, letter] of letters.entries()) {
      if (verdicts[index] === "recorded") letter.fate = { kind: "dropped" };
      else leaveInDoubt(letter);
    }
  } catch (error) {
    // The ledger does not know the copy, so nothing is deleted. Whoever may begin next begins again.
    if (isRedisAway(error)) return letters.forEach(leaveInDoubt);
    const isArchive = isRedriverError(error) && error.code === "archive-unavailable";
    if (!isArchive && !isOfInput(error)) throw error;
    // No copy is known and nothing was sent, so the records cool and may be dropped again.
    await unlessRedisAway(() => giveBack(drain, letters, token), undefined);
    if (!isArchive) throw error;
    source.events.emit({ type: "archive:failed", source: source.config.id, message: error.message });
    holdAll(letters, "archive-missing");
  }
}

/** Nothing was sent, so each goes back to where it was: no rule may publish what waits for a person. */
async function giveBack(
  { source: { ledger }, config: { name, rulesHash } }: DrainRuntime,
  letters: readonly Letter[],
  token: Token,
): Promise<void> {
  const parked: ParkRequest[] = [];
  const others: RefusedRequest[] = [];
  for (const { dlqId, view, failure } of letters) {
    if (view.state !== "parked") others.push({ dlqId, outcome: "not-sent", coolMs: 0 });
    else parked.push({ dlqId, reason: view.reason, attempt: view.attempt, failure: failure.id });
  }
  if (parked.length > 0) await ledger.park(parked, { drain: name, rulesHash, token });
  if (others.length > 0) await ledger.refused(others, token);
}
