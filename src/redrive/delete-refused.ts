/**
 * Ids whose delete was refused together, and which a listing shows all the same: one of them may be what the service refuses.
 *
 *   all ─► refused ─► one half, the other half, … ─► refused alone: left out for a while (patience.ts)
 *
 * Where none of what is listed can be deleted, in three sweeps in a row, it is the address and not an id: the source is halted.
 */
import type { DlqId } from "../message/dead-letter.ts";
import type { RedriverError } from "../ports/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActOf } from "./note-act.ts";
import { createPatience, type Patience } from "./patience.ts";
import type { SourceRuntime } from "./runtime.ts";
import { settle } from "./stages/settle.ts";

/** What one process remembers of the deletes that a source refused. */
export interface RefusedDeletes {
  /** Of those that were refused alone. */
  readonly patience: Patience;
  /** For the rest of this sweep. */
  callsLeft: number;
  /** Sweeps in a row that could delete nothing of what was listed. */
  fruitless: number;
}

/** Finds at least six ids among a hundred that are refused alone; the next sweep leaves them out and finds others. */
export const refusedCallsPerSweep = 50;

export function createRefusedDeletes(clock: Clock): RefusedDeletes {
  return { patience: createPatience(clock), callsLeft: refusedCallsPerSweep, fruitless: 0 };
}

/** So many refused alone and none deleted: the others would be refused too. */
const aloneToStop = 3;
/** A listing may lag and show what is gone: one or two of these prove nothing. */
const fruitlessToHalt = 3;

export interface DeletedByHalves {
  readonly gone: number;
  readonly stoppedBy: "not-now" | "failed" | null;
}

export async function deleteRefused(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly DlqId[],
  memory: RefusedDeletes,
  signal: AbortSignal,
): Promise<DeletedByHalves> {
  let gone = 0;
  let alone = 0;
  let refusal: RedriverError | null = null;

  const remove = async (part: readonly DlqId[]): Promise<DeletedByHalves["stoppedBy"]> => {
    const isHopeless = gone === 0 && alone === aloneToStop;
    if (part.length === 0 || isHopeless || memory.callsLeft === 0 || signal.aborted) return null;
    memory.callsLeft -= 1;
    const { outcomes, refusedWith } = await settle(source, of, part, signal);
    const [outcome] = outcomes;
    if (outcome === "not-now" || outcome === "failed") return outcome;
    if (outcome === "deleted") gone += part.length;
    if (outcome !== "refused") return null;
    refusal = refusedWith;
    const [only, second] = part;
    if (only !== undefined && second === undefined) {
      alone += 1;
      memory.patience.note(only);
      return null;
    }
    const middle = Math.floor(part.length / 2);
    return (await remove(part.slice(0, middle))) ?? (await remove(part.slice(middle)));
  };

  const stoppedBy = await remove(ids);
  if (stoppedBy !== null) return { gone, stoppedBy };
  if (gone > 0) memory.fruitless = 0;
  if (refusal === null || gone > 0) return { gone, stoppedBy: null };
  memory.fruitless += 1;
  if (memory.fruitless >= fruitlessToHalt) source.health.note(refusal);
  return { gone, stoppedBy: "failed" };
}
