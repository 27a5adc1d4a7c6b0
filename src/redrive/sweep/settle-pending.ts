/**
 * What a sweep does about deletes that are pending.
 *
 *   may be gone ───────► looked for, all together ─┬─ absent ──► gone, as each listing ends
 *                                                  └─ listed ──┐
 *   not tried, or tried in vain ───────────────────────────────┴─► DELETE by exact ids ─┬─ all deleted ──► gone
 *                                                                  ┌───────────────────┬┴─ short
 *                                                                  ▼                   └─ refused ──► looked for; listed: by halves
 *                                                      looked for at the end
 *
 * What stays pending is left as the last call left it in the ledger, so the next sweep goes on there, in
 * whichever process it comes.
 */
import type { DlqId } from "../../message/dead-letter.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { PendingEntry } from "../../ports/ledger-entries.ts";
import { takeoverAfterMs } from "../../ports/ledger-limits.ts";
import type { Backoff } from "./backoff.ts";
import { byDrain } from "./by-drain.ts";
import {
  deleteRefused,
  recordedLately,
  refusedCallsPerSweep,
  type RefusedDeletes,
} from "./delete-refused.ts";
import { findRecords, type SearchBudget } from "../listing/find-records.ts";
import type { SweptHalf } from "./reconcile.ts";
import type { SourceRuntime } from "../runtime.ts";
import { idsPerDelete, settle } from "../page/settle.ts";

/** Read in one script: 500 entries take Redis some ms. */
const entriesPerPage = 500;
/** Pages of pending deletes in one sweep; the next sweep goes on. With those of one DELETE each, 50 calls. */
const pagesPerSweep = 10;
const goneAtOnce = 100;

export interface SettleMemory {
  readonly settling: Backoff;
  readonly refused: RefusedDeletes;
}

/** Settles what nobody has in hands. What was proven is written, whatever stops it then. */
export async function settlePending(
  source: SourceRuntime,
  memory: SettleMemory,
  budget: SearchBudget,
  signal: AbortSignal,
): Promise<SweptHalf> {
  if (memory.settling.skips()) return { done: 0, failure: null };
  const sweep = createSweep(source, memory.refused, budget, signal);
  const left = await readLeft(source, memory.refused);
  await sweep.look(left.filter(({ view }) => view.maybeGone));
  if (!sweep.isStopped()) {
    const listed = sweep.listed();
    const stoppedBy = await sweep.remove(
      left.filter(({ dlqId, view }) => !view.maybeGone || listed.has(dlqId)),
    );
    if (stoppedBy !== "not-now") memory.settling.note(stoppedBy === "failed" ? "no-progress" : "progress");
  }
  return sweep.end();
}

/** Younger ones are in the hands of the worker that published them, unless it has left them to us. */
async function readLeft(
  source: SourceRuntime,
  { patience }: RefusedDeletes,
): Promise<readonly PendingEntry[]> {
  const left: PendingEntry[] = [];
  for (let page = 0; page < pagesPerSweep; page += 1) {
    const { entries, at } = await source.ledger.pendingDeletes(entriesPerPage, page * entriesPerPage);
    const abandonedBefore = at - takeoverAfterMs(source.ledger.limits);
    for (const entry of entries) {
      const { at: since, deleteFailed, maybeGone } = entry.view;
      const isLeft = since < abandonedBefore || deleteFailed || maybeGone;
      if (isLeft && patience.isDue(entry.dlqId)) left.push(entry);
    }
    if (entries.length < entriesPerPage) break;
  }
  return left;
}

type StoppedBy = "not-now" | "failed" | null;

interface PendingSweep {
  /** Those that no listing has are gone, as each listing ends. */
  look(entries: readonly PendingEntry[]): Promise<void>;
  /** What was looked for and is still there. */
  listed(): ReadonlySet<DlqId>;
  /** Whether what was looked for is to be left alone for now. */
  isStopped(): boolean;
  remove(entries: readonly PendingEntry[]): Promise<StoppedBy>;
  end(): SweptHalf;
}

function createSweep(
  source: SourceRuntime,
  refused: RefusedDeletes,
  budget: SearchBudget,
  signal: AbortSignal,
): PendingSweep {
  let done = 0;
  let failure: unknown = null;
  const listed = new Set<DlqId>();
  refused.callsLeft = refusedCallsPerSweep;
  const isOver = (): boolean => signal.aborted || source.clock.monotonic() >= budget.endsAt;

  const look = async (entries: readonly PendingEntry[]): Promise<void> => {
    const wanted = entries.map(({ dlqId, view: { messageId, datesAgree } }) => ({
      dlqId,
      messageId,
      datesAgree,
    }));
    for await (const finding of findRecords(source, wanted, budget, signal)) {
      failure ??= finding.failure;
      for (const { dlqId } of finding.records) listed.add(dlqId as DlqId);
      for (let i = 0; i < finding.absent.length; i += goneAtOnce) {
        done += (await source.ledger.gone(finding.absent.slice(i, i + goneAtOnce))).count;
      }
    }
  };

  const removeRefused = async (
    drain: DrainName | null,
    entries: readonly PendingEntry[],
  ): Promise<StoppedBy> => {
    // What a listing has just shown is not looked for again: then it is one of them, or all.
    if (!entries.every(({ dlqId }) => listed.has(dlqId))) await look(entries);
    const ids = entries.flatMap(({ dlqId }) => (listed.has(dlqId) ? [dlqId] : []));
    const halved = await deleteRefused(source, { drain }, ids, refused, { signal, waits: budget.waits });
    done += halved.gone;
    const { gone: deleted, stoppedBy } = halved;
    source.events.emit({ type: "delete:short", source: source.config.id, asked: entries.length, deleted });
    return stoppedBy;
  };

  return {
    look,
    listed: () => listed,
    isStopped: () => isOver() || source.health.current().state !== "usable",
    async remove(entries) {
      const short: PendingEntry[] = [];
      let stoppedBy: StoppedBy = null;
      for (const [drain, ofDrain] of byDrain(entries)) {
        for (let i = 0; i < ofDrain.length && stoppedBy === null && !isOver(); i += idsPerDelete) {
          const some = ofDrain.slice(i, i + idsPerDelete);
          const ids = some.map(({ dlqId }) => dlqId);
          const noted = recordedLately(ids, refused, source.clock);
          const isAgain = some.some(({ view }) => view.deleteFailed);
          const call = { signal, waits: budget.waits, noted, isAgain };
          const { outcomes, deleted } = await settle(source, { drain }, ids, call);
          const [outcome] = outcomes;
          if (outcome === "deleted") done += deleted;
          if (outcome === "short") short.push(...some);
          if (outcome === "refused") stoppedBy = await removeRefused(drain, some);
          if (outcome === "not-now" || outcome === "failed") stoppedBy = outcome;
        }
      }
      if (short.length > 0) await look(short);
      return stoppedBy;
    },
    end: () => ({ done, failure }),
  };
}
