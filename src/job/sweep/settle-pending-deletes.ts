/**
 * Settles pending deletes in a sweep.
 *
 *   may be gone ──► searched, all together ─┬─ absent ──► gone, as each listing ends
 *                                           └─ listed ──┐
 *   not tried, or tried in vain ────────────────────────┴─► DELETE by exact ids ─┬─ all deleted ──► gone
 *                                                                                ├─ short ──► searched at the end
 *                                                                                └─ refused ──► searched; listed: by halves
 *
 * Ids that stay pending keep the state of their last call in the ledger, so the next sweep continues there,
 * in any process.
 */
import type { DlqId } from "../message/dead-letter.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { PendingEntry } from "../contracts/ledger-entries.ts";
import { groupBy } from "../../group-items-by-key.ts";
import {
  deleteRefused,
  unrecordedLately,
  type DeletedByHalves,
  refusedCallsPerSweep,
  type RefusedDeletes,
} from "./delete-by-halves.ts";
import { findRecords, type SearchBudget } from "../listing/find-records.ts";
import type { SweptHalf } from "./reconcile-in-doubt.ts";
import type { CarefulJob } from "../pass/careful-job.ts";
import type { SourceRuntime } from "../runtime.ts";
import { idsPerDelete, settle } from "../page/settle.ts";

/** Read in one script: 500 entries take Redis some ms. */
const entriesPerPage = 500;
/** Pages of pending deletes in one sweep: 50 DELETE calls. The next sweep continues. */
const pagesPerSweep = 10;
const goneAtOnce = 100;

/** Sweeps to skip after refused deletes: 15 s × (2 + 1) = 45 s. Unanswered deletes need no pause. */
const maxSkipped = 2;

export interface SettleMemory {
  readonly refused: RefusedDeletes;
  failures: number;
  toSkip: number;
}

/** Settles ids that no worker holds. Proofs are recorded as they come, whatever stops the sweep later. */
export async function settlePendingDeletes(
  source: SourceRuntime,
  memory: SettleMemory,
  job: CarefulJob,
  budget: SearchBudget,
  signal: AbortSignal,
): Promise<SweptHalf> {
  if (memory.toSkip > 0) {
    memory.toSkip -= 1;
    return { done: 0, failure: null };
  }
  const { refused } = memory;
  refused.callsLeft = refusedCallsPerSweep;
  let done = 0;
  let failure: unknown = null;
  let stoppedBy: DeletedByHalves["stoppedBy"] = null;
  let isTried = false;
  const listed = new Set<DlqId>();
  const isOver = (): boolean => signal.aborted || source.clock.monotonic() >= budget.endsAt;

  const search = async (entries: readonly PendingEntry[]): Promise<void> => {
    const wanted = entries.map(({ dlqId, view }) => ({ ...view, dlqId }));
    for await (const finding of findRecords(source, wanted, budget, signal)) {
      failure ??= finding.failure;
      for (const { dlqId } of finding.records) listed.add(dlqId as DlqId);
      for (let i = 0; i < finding.absent.length; i += goneAtOnce) {
        done += (await source.ledger.gone(finding.absent.slice(i, i + goneAtOnce))).count;
      }
    }
  };

  const removeRefused = async (drain: DrainName | null, entries: readonly PendingEntry[]) => {
    // Ids that a listing has just shown are not searched again.
    if (!entries.every(({ dlqId }) => listed.has(dlqId))) await search(entries);
    const ids = entries.flatMap(({ dlqId }) => (listed.has(dlqId) ? [dlqId] : []));
    const halved = await deleteRefused(source, { drain }, ids, refused, { signal, waits: budget.waits });
    const { gone: deleted } = halved;
    done += deleted;
    source.events.emit({ type: "delete:short", source: source.config.id, asked: entries.length, deleted });
    return halved.stoppedBy;
  };

  const remove = async (entries: readonly PendingEntry[]): Promise<void> => {
    const short: PendingEntry[] = [];
    for (const [drain, ofDrain] of groupBy(entries, ({ view }) => view.drain)) {
      for (let i = 0; i < ofDrain.length && stoppedBy === null && !isOver(); i += idsPerDelete) {
        const some = ofDrain.slice(i, i + idsPerDelete);
        const ids = some.map(({ dlqId }) => dlqId);
        const unrecorded = unrecordedLately(ids, refused, source.clock);
        const isAgain = some.some(({ view }) => view.deleteFailed);
        const call = { signal, waits: budget.waits, unrecorded, isAgain };
        const { outcomes, deleted } = await settle(source, { drain }, ids, call);
        const [outcome] = outcomes;
        if (outcome === "deleted") done += deleted;
        if (outcome === "short") short.push(...some);
        if (outcome === "refused") stoppedBy = await removeRefused(drain, some);
        if (outcome === "not-now" || outcome === "failed") stoppedBy = outcome;
      }
    }
    if (short.length > 0) await search(short);
  };

  const settleSome = async (some: readonly PendingEntry[]): Promise<void> => {
    await search(some.filter(({ view }) => view.maybeGone));
    if (stoppedBy !== null || isOver() || source.health.current().state !== "usable") return;
    isTried = true;
    await remove(some.filter(({ dlqId, view }) => !view.maybeGone || listed.has(dlqId)));
  };
  // One whose deletion ends its worker stays, and keeps the settle gate closed, as one that the service never deletes.
  await job.each(await readLeft(source, refused), settleSome, () => Promise.resolve());
  const endedBy = stoppedBy as DeletedByHalves["stoppedBy"];
  if (isTried && endedBy !== "not-now") {
    memory.failures = endedBy === "failed" ? memory.failures + 1 : 0;
    memory.toSkip = Math.min(memory.failures, maxSkipped);
  }
  return { done, failure };
}

/** Reads the ids to settle. Younger ones belong to the worker that published them, unless it left them. */
async function readLeft(source: SourceRuntime, { backoff }: RefusedDeletes) {
  const left: PendingEntry[] = [];
  for (let page = 0; page < pagesPerSweep; page += 1) {
    const { entries } = await source.ledger.pendingDeletes(entriesPerPage, page * entriesPerPage);
    for (const entry of entries) {
      if (!entry.view.isBeingDeleted && backoff.isDue(entry.dlqId)) left.push(entry);
    }
    if (entries.length < entriesPerPage) break;
  }
  return left;
}
