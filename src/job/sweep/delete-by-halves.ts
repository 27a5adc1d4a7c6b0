/**
 * Deletes ids by halves after the service refused them together although a listing shows them. One of them
 * may be the cause.
 *
 *   all ─► refused ─► one half, the other half, … ─► refused alone: skipped for a while (per-id-backoff.ts)
 *
 * If none of the listed ids can be deleted in three sweeps in a row, and nobody deleted anything in between, the cause
 * is the address and not an id: the source is halted. A second refusal of the same single id is no news.
 */
import { BoundedMap } from "../../bounded-map.ts";
import type { DlqId } from "../message/dead-letter.ts";
import type { RedriverError } from "../contracts/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ActOf } from "../write-audit.ts";
import { createPerIdBackoff } from "./per-id-backoff.ts";
import type { SourceRuntime } from "../runtime.ts";
import { settle, type SettleCall } from "../page/settle.ts";

/** Finds at least six single refused ids among a hundred. The next sweep skips them and finds others. */
export const refusedCallsPerSweep = 50;

const maxWaitMs = 60 * 60_000;
const recordedAgainAfterMs = 60 * 60_000;
/** Forgetting costs an entry. */
const maxRecorded = 10_000;

export type RefusedDeletes = ReturnType<typeof createRefusedDeletes>;

export function createRefusedDeletes(clock: Clock) {
  return {
    backoff: createPerIdBackoff(clock, maxWaitMs),
    callsLeft: refusedCallsPerSweep,
    /** Sweeps in a row that deleted nothing of what was listed, while this process deleted nothing else. */
    fruitless: 0,
    deletesSeen: 0,
    /** By id refused alone: when its delete was last written to the audit, by clock.monotonic(). */
    notedAt: new BoundedMap<DlqId, number>(maxRecorded),
  };
}

/** All but those refused alone with an audit entry of the last hour. The others of these are recorded now. */
export function unrecordedLately(
  ids: readonly DlqId[],
  { backoff, notedAt }: RefusedDeletes,
  { monotonic }: Pick<Clock, "monotonic">,
): ReadonlySet<DlqId> {
  const now = monotonic();
  const unrecorded = new Set(ids);
  for (const dlqId of ids) {
    if (!backoff.knows(dlqId)) continue;
    if (now - (notedAt.get(dlqId) ?? -Infinity) < recordedAgainAfterMs) unrecorded.delete(dlqId);
    else notedAt.set(dlqId, now);
  }
  return unrecorded;
}

/** After this many refused alone and none deleted, the others would be refused too. */
const aloneToStop = 3;
/** A listing may lag and show deleted records, so one or two such sweeps prove nothing. */
const fruitlessToHalt = 3;

export interface DeletedByHalves {
  readonly gone: number;
  readonly stoppedBy: "not-now" | "failed" | null;
}

const none: ReadonlySet<DlqId> = new Set();

/** Deletes by halves. The audit already has `ids` as the refused delete, so the parts get no entries. */
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
  const isNothingNew = ids.every((dlqId) => memory.backoff.knows(dlqId));

  const remove = async (part: readonly DlqId[]): Promise<DeletedByHalves["stoppedBy"]> => {
    const isHopeless = gone === 0 && alone === aloneToStop;
    if (part.length === 0 || isHopeless || memory.callsLeft === 0 || signal.aborted) return null;
    memory.callsLeft -= 1;
    const { outcomes, refusedWith } = await settle(source, of, part, { signal, waits, unrecorded: none });
    const [outcome] = outcomes;
    if (outcome === "not-now" || outcome === "failed") return outcome;
    if (outcome === "deleted") gone += part.length;
    if (outcome !== "refused") return null;
    refusal = refusedWith;
    const [only, second] = part;
    if (only !== undefined && second === undefined) {
      alone += 1;
      // Recorded by the call for all of them, moments ago.
      if (!memory.backoff.knows(only)) memory.notedAt.set(only, source.clock.monotonic());
      memory.backoff.note(only);
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
