/**
 * Ids whose delete was refused together, and which a listing shows all the same: one of them may be what the service refuses.
 *
 *   all ─► refused ─► one half, the other half, … ─► refused alone: left out for a while (patience.ts), at last for an hour
 *
 * Where none of what is listed can be deleted, in three sweeps in a row and by nobody in between, it is the address and not an id: the
 * source is halted. What was refused alone before and is again tells nothing new.
 */
import type { DlqId } from "../../message/dead-letter.ts";
import type { RedriverError } from "../../ports/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActOf } from "../record-act.ts";
import { createPatience, type Patience } from "./per-id-backoff.ts";
import type { SourceRuntime } from "../runtime.ts";
import { settle, type SettleCall } from "../page/settle.ts";

/** What one process remembers of the deletes that a source refused. */
export interface RefusedDeletes {
  /** Of those that were refused alone. */
  readonly patience: Patience;
  /** For the rest of this sweep. */
  callsLeft: number;
  /** Sweeps in a row that could delete nothing of what was listed, while nothing else in this process was deleted either. */
  fruitless: number;
  /** Of the source's health, at the last of them. */
  deletesSeen: number;
  /** When the delete of an id that was refused alone was last written into the audit, by clock.monotonic(). */
  readonly notedAt: Map<DlqId, number>;
}

/** Finds at least six ids among a hundred that are refused alone; the next sweep leaves them out and finds others. */
export const refusedCallsPerSweep = 50;

const longestWaitMs = 60 * 60_000;
const recordedAgainAfterMs = 60 * 60_000;
/** Forgetting costs an entry. */
const maxRecorded = 10_000;

export function createRefusedDeletes(clock: Clock): RefusedDeletes {
  return {
    patience: createPatience(clock, longestWaitMs),
    callsLeft: refusedCallsPerSweep,
    fruitless: 0,
    deletesSeen: 0,
    notedAt: new Map(),
  };
}

/**
 * Which of these the audit need not be told of again, before a delete of them all: those that were refused alone and have an entry of
 * this process that is less than an hour old. The others among those are remembered as told now.
 */
export function recordedLately(
  ids: readonly DlqId[],
  { patience, notedAt }: RefusedDeletes,
  { monotonic }: Pick<Clock, "monotonic">,
): ReadonlySet<DlqId> {
  const now = monotonic();
  const lately = new Set<DlqId>();
  for (const dlqId of ids) {
    if (!patience.knows(dlqId)) continue;
    if (now - (notedAt.get(dlqId) ?? -Infinity) < recordedAgainAfterMs) lately.add(dlqId);
    else rememberRecorded(notedAt, dlqId, now);
  }
  return lately;
}

function rememberRecorded(notedAt: Map<DlqId, number>, dlqId: DlqId, now: number): void {
  if (notedAt.size >= maxRecorded) notedAt.clear();
  notedAt.set(dlqId, now);
}

/** So many refused alone and none deleted: the others would be refused too. */
const aloneToStop = 3;
/** A listing may lag and show what is gone: one or two of these prove nothing. */
const fruitlessToHalt = 3;

export interface DeletedByHalves {
  readonly gone: number;
  readonly stoppedBy: "not-now" | "failed" | null;
}

/** `ids` are in the audit already, as the delete that was refused: its parts are the same act, and have no entry of their own. */
export async function deleteRefused(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly DlqId[],
  memory: RefusedDeletes,
  { signal, waits }: Pick<SettleCall, "signal" | "waits">,
): Promise<DeletedByHalves> {
  let gone = 0;
  let alone = 0;
  let refusal: RedriverError | null = null;
  const everyId: ReadonlySet<DlqId> = new Set(ids);
  const isNothingNew = ids.every((dlqId) => memory.patience.knows(dlqId));

  const remove = async (part: readonly DlqId[]): Promise<DeletedByHalves["stoppedBy"]> => {
    const isHopeless = gone === 0 && alone === aloneToStop;
    if (part.length === 0 || isHopeless || memory.callsLeft === 0 || signal.aborted) return null;
    memory.callsLeft -= 1;
    const { outcomes, refusedWith } = await settle(source, of, part, { signal, waits, noted: everyId });
    const [outcome] = outcomes;
    if (outcome === "not-now" || outcome === "failed") return outcome;
    if (outcome === "deleted") gone += part.length;
    if (outcome !== "refused") return null;
    refusal = refusedWith;
    const [only, second] = part;
    if (only !== undefined && second === undefined) {
      alone += 1;
      // As of the call for all of them, moments ago.
      if (!memory.patience.knows(only)) rememberRecorded(memory.notedAt, only, source.clock.monotonic());
      memory.patience.note(only);
      return null;
    }
    const middle = Math.floor(part.length / 2);
    return (await remove(part.slice(0, middle))) ?? (await remove(part.slice(middle)));
  };

  const stoppedBy = await remove(ids);
  if (stoppedBy !== null) return { gone, stoppedBy };
  if (refusal === null || gone > 0 || isNothingNew) return { gone, stoppedBy: null };
  const deletes = source.health.deletes();
  memory.fruitless = deletes === memory.deletesSeen ? memory.fruitless + 1 : 1;
  memory.deletesSeen = deletes;
  if (memory.fruitless >= fruitlessToHalt) source.health.note(refusal);
  return { gone, stoppedBy: "failed" };
}
