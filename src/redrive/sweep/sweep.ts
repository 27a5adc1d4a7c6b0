/**
 * The scheduled look at what is not finished in one source. It reads the ledger's two indexes and nothing else: there is no
 * second truth in jobs.
 *
 *   open past takeover ─► find the records ─► the same page flow as a pass, which publishes under the same id or settles (reconcile.ts)
 *   pending deletes ─► those that may be gone are looked for, the others deleted by exact ids (settle-pending.ts)
 *
 * Both go on side by side, reconciling first: neither waits for the other, and neither is lost by a failure
 * of the other.
 */
import { isRedriverError, toFailure } from "../../ports/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DrainName } from "../../ports/ids.ts";
import { createBackoff } from "./backoff.ts";
import { createRefusedDeletes } from "./delete-refused.ts";
import type { DatesControl, SearchBudget } from "../listing/find-records.ts";
import { createPatience, type Patience } from "./per-id-backoff.ts";
import { reconcileUnknown, type SweptHalf } from "./reconcile.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { settlePending, type SettleMemory } from "./settle-pending.ts";

/** Refused deletes skip 1, then at most this many sweeps: 15 s × (2 + 1) = 45 s. Those without an answer need no pause of their own. */
const maxSkippedSettling = 2;
/**
 * Listings of each half of a sweep, so that none makes hundreds; what is left waits for the next, and what is
 * proven is not asked again.
 */
const looksPerSweep = 40;
/** No call of a sweep begins later: two intervals. The next one goes on. */
const sweptForMs = 30_000;
/**
 * Of a sweep's calls together, for pauses that the service asks for: one interval. Then the next sweep waits.
 */
const waitsForMs = 15_000;
/** After a sweep that got on and has left something. */
const sweptAgainWithinMs = 1_000;

/** What one process remembers between sweeps of one source. */
export interface SweepMemory extends SettleMemory {
  readonly reconciling: Patience;
  readonly dates: DatesControl;
}

export function createSweepMemory(clock: Clock): SweepMemory {
  return {
    settling: createBackoff(maxSkippedSettling),
    refused: createRefusedDeletes(clock),
    reconciling: createPatience(clock),
    dates: { isPassed: false },
  };
}

export interface SweepResult {
  readonly settled: number;
  readonly reconciled: number;
  /** Still open or pending. */
  readonly left: number;
}

/**
 * Sweeps one source. `drains` are those of the current document. Throws RedriverErrors; what was done stays
 * done. Where both halves fail, one failure is thrown and the other told.
 */
export async function sweep(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  memory: SweepMemory,
  signal: AbortSignal,
  stopping: AbortSignal = signal,
): Promise<SweepResult> {
  await source.unwritten.replay(source.ledger);
  const before = await source.ledger.summary();
  const isIdle = before.pendingDelete === 0 && before.unknown === 0;
  if (!isIdle && source.health.current().state === "halted") source.health.check();
  const stop = AbortSignal.any([signal, stopping]);
  const budget = (): SearchBudget => ({
    callsLeft: looksPerSweep,
    endsAt: source.clock.monotonic() + sweptForMs,
    waits: { leftMs: waitsForMs, signal: stop },
    dates: memory.dates,
  });
  const [reconciling, settling] = await Promise.all([
    before.unknown === 0
      ? nothing
      : caught(() => reconcileUnknown(source, drains, memory.reconciling, budget(), signal)),
    before.pendingDelete === 0 ? nothing : caught(() => settlePending(source, memory, budget(), signal)),
  ]);
  const { id } = source.config;
  const after = isIdle ? before : await source.ledger.summary();
  const left = after.open + after.pendingDelete;
  const isOwed = after.failedDeletes > 0 || after.settleGate === "closed";
  if (isOwed && settling.done > 0) source.sweepRequest.within(sweptAgainWithinMs);
  const failures = [reconciling.failure, settling.failure].filter((failure) => failure !== null);
  const [first, second] = failures;
  if (second !== undefined) source.events.emit({ type: "sweep:failed", source: id, ...toFailure(second) });
  if (first !== undefined) throw first;
  const result = { settled: settling.done, reconciled: reconciling.done, left };
  source.events.emit({ type: "sweep:finished", source: id, ...result });
  return result;
}

const nothing: SweptHalf = { done: 0, failure: null };

/** A failure of one half must not take the other with it. */
async function caught(half: () => Promise<SweptHalf>): Promise<SweptHalf> {
  try {
    return await half();
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    return { done: 0, failure: error };
  }
}
