/**
 * The scheduled sweep finishes what is unfinished in one source. It reads the ledger's two indexes and
 * nothing else. Jobs hold no second truth.
 *
 *   open past takeover ─► find the records ─► the page flow publishes under the same id, or settles (reconcile-in-doubt.ts)
 *   pending deletes ─► ids that may be gone are searched, the others deleted by exact ids (settle-pending-deletes.ts)
 *
 * Both halves run in parallel. Neither waits for the other or fails with it.
 */
import { isRedriverError, toFailure } from "../contracts/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { DrainName } from "../contracts/ids.ts";
import { createRefusedDeletes } from "./delete-by-halves.ts";
import type { DatesControl, SearchBudget } from "../listing/find-records.ts";
import { createPerIdBackoff } from "./per-id-backoff.ts";
import { reconcileInDoubt, type SweptHalf } from "./reconcile-in-doubt.ts";
import { takeJob, type CarefulJob } from "../pass/careful-job.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { settlePendingDeletes, type SettleMemory } from "./settle-pending-deletes.ts";

/** Listings of each half of a sweep, so that none makes hundreds. The next sweep continues. */
const listingsPerSweep = 40;
/** No call of a sweep begins later than this: two intervals. The next sweep continues. */
const sweptForMs = 30_000;
/** For pauses that the service asks for, all together: one interval. Then the next sweep waits. */
const waitsForMs = 15_000;
/** The next sweep after one that made progress and left something. */
const sweptAgainWithinMs = 1_000;

export type SweepMemory = ReturnType<typeof createSweepMemory>;

export function createSweepMemory(clock: Clock) {
  const settling: SettleMemory = { refused: createRefusedDeletes(clock), failures: 0, toSkip: 0 };
  const dates: DatesControl = { isPassed: false };
  return { settling, reconciling: createPerIdBackoff(clock), dates };
}

/** Whether a sweep of this source has something to finish. Writes facts that only this process knows. */
export async function needsSweep({ unwritten, ledger }: SourceRuntime): Promise<boolean> {
  await unwritten.replay(ledger);
  const { pendingDelete, unknown } = await ledger.summary();
  return pendingDelete > 0 || unknown > 0;
}

/** Finished work stays finished. If both halves fail, one failure is thrown and the other reported. */
export async function sweep(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  memory: SweepMemory,
  signal: AbortSignal,
  stopping: AbortSignal = signal,
  hasStalled = false,
) {
  await source.unwritten.replay(source.ledger);
  const before = await source.ledger.summary();
  const isIdle = before.pendingDelete === 0 && before.unknown === 0;
  if (!isIdle && source.health.current().state === "halted") source.health.check();
  const stop = AbortSignal.any([signal, stopping]);
  const budget = (): SearchBudget => ({
    callsLeft: listingsPerSweep,
    endsAt: source.clock.monotonic() + sweptForMs,
    waits: { leftMs: waitsForMs, signal: stop },
    dates: memory.dates,
  });
  const half = async (
    name: "reconcile" | "settle",
    isNeeded: boolean,
    work: (job: CarefulJob) => Promise<SweptHalf>,
  ): Promise<SweptHalf> => {
    if (!isNeeded) return { done: 0, failure: null };
    try {
      const job = await takeJob(source, name, hasStalled);
      try {
        return await work(job);
      } finally {
        await job.end();
      }
    } catch (error) {
      // It does not stop the other half.
      if (!isRedriverError(error)) throw error;
      return { done: 0, failure: error };
    }
  };
  const [reconciling, settling] = await Promise.all([
    half("reconcile", before.unknown > 0, (job) =>
      reconcileInDoubt(source, drains, memory.reconciling, job, budget(), signal),
    ),
    half("settle", before.pendingDelete > 0, (job) =>
      settlePendingDeletes(source, memory.settling, job, budget(), signal),
    ),
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
