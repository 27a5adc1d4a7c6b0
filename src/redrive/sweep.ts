/**
 * The scheduled look at what is not finished in one source. It reads the ledger's two indexes and nothing else: there is no
 * second truth in jobs.
 *
 *   pending deletes ─► DELETE by exact ids ─► gone; short or refused: those certainly not listed are gone, the rest stay pending, and
 *                      are deleted by halves where it was refused
 *   open past takeover ─► find the records ─► the same page flow as a pass, which publishes under the same id or settles
 */
import type { DlqId } from "../message/dead-letter.ts";
import type { DrainName } from "../ports/ids.ts";
import type { OpenEntry, PendingEntry } from "../ports/ledger-entries.ts";
import { takeoverAfterMs } from "../ports/ledger-limits.ts";
import type { Clock } from "../ports/clock.ts";
import { createBackoff, type Backoff } from "./backoff.ts";
import {
  createRefusedDeletes,
  deleteRefused,
  notedLately,
  refusedCallsPerSweep,
  type RefusedDeletes,
} from "./delete-refused.ts";
import { createPatience, type Patience } from "./patience.ts";
import type { Decision } from "../rules/decision.ts";
import { explainDecision } from "../rules/explain-decision.ts";
import { findRecords } from "./find-records.ts";
import type { DrainRuntime, SourceRuntime } from "./runtime.ts";
import { writeParked } from "./stages/park.ts";
import { settle } from "./stages/settle.ts";
import { workPage } from "./work-page.ts";

const entriesPerPage = 100;
/** Pages of pending deletes in one sweep; the next sweep goes on. */
const pagesPerSweep = 50;
/** Refused deletes skip 1, then at most this many sweeps: 15 s × (2 + 1) = 45 s. Those without an answer need no pause of their own. */
const mostSkippedSettling = 2;

/** What one process remembers between sweeps of one source. */
export interface SweepMemory {
  readonly settling: Backoff;
  readonly refused: RefusedDeletes;
  readonly reconciling: Patience;
}

export function createSweepMemory(clock: Clock): SweepMemory {
  return {
    settling: createBackoff(mostSkippedSettling),
    refused: createRefusedDeletes(clock),
    reconciling: createPatience(clock),
  };
}

export interface SweepResult {
  readonly settled: number;
  readonly reconciled: number;
  /** Still open or pending. */
  readonly left: number;
}

/** Sweeps one source. `drains` are those of the current document. Throws RedriverErrors; what was done stays done. */
export async function sweep(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  memory: SweepMemory,
  signal: AbortSignal,
): Promise<SweepResult> {
  await source.unwritten.replay(source.ledger);
  const before = await source.ledger.summary();
  const isIdle = before.pendingDelete === 0 && before.unknown === 0;
  if (!isIdle) source.health.check();
  const settled = before.pendingDelete === 0 ? 0 : await settlePending(source, memory, signal);
  const reconciled =
    before.unknown === 0 ? 0 : await reconcileUnknown(source, drains, memory.reconciling, signal);
  const after = isIdle ? before : await source.ledger.summary();
  const result = { settled, reconciled, left: after.open + after.pendingDelete };
  source.events.emit({ type: "sweep:finished", source: source.config.id, ...result });
  return result;
}

async function settlePending(
  source: SourceRuntime,
  { settling: backoff, refused }: SweepMemory,
  signal: AbortSignal,
): Promise<number> {
  if (backoff.skips()) return 0;
  refused.callsLeft = refusedCallsPerSweep;
  let settled = 0;
  let offset = 0;
  for (let page = 0; page < pagesPerSweep && !signal.aborted; page += 1) {
    const { entries, at } = await source.ledger.pendingDeletes(entriesPerPage, offset);
    if (entries.length === 0) break;
    // Younger ones are in the hands of the worker that published them.
    const abandonedBefore = at - takeoverAfterMs(source.ledger.limits);
    const ours = entries.filter(
      ({ dlqId, view }) =>
        (view.at < abandonedBefore || isDeleteFailed(view)) && refused.patience.isDue(dlqId),
    );
    const { gone, stoppedBy } = await settleAndProve(source, ours, refused, signal);
    settled += gone;
    if (stoppedBy === "not-now") return settled;
    backoff.note(stoppedBy === "failed" ? "no-progress" : "progress");
    if (stoppedBy !== null) return settled;
    offset += entries.length - gone;
  }
  return settled;
}

function isDeleteFailed(view: PendingEntry["view"]): boolean {
  return view.state === "published" && view.deleteFailed;
}

async function settleAndProve(
  source: SourceRuntime,
  entries: readonly PendingEntry[],
  refused: RefusedDeletes,
  signal: AbortSignal,
): Promise<{ readonly gone: number; readonly stoppedBy: "not-now" | "failed" | null }> {
  let gone = 0;
  for (const [drain, ofDrain] of byDrain(entries)) {
    const ids = ofDrain.map(({ dlqId }) => dlqId);
    const noted = notedLately(ids, refused, source.clock);
    const { outcomes, refusedWith } = await settle(source, { drain }, ids, signal, noted);
    const stoppedBy = outcomes.find((outcome) => outcome === "not-now" || outcome === "failed");
    if (stoppedBy !== undefined) return { gone, stoppedBy };
    if (refusedWith === null && !outcomes.includes("short")) {
      gone += ids.length;
      continue;
    }
    const { absent, listed } = await proveAbsent(source, ofDrain, signal);
    gone += absent.length;
    if (refusedWith === null) continue;
    const halved = await deleteRefused(source, { drain }, listed, refused, signal);
    gone += halved.gone;
    source.events.emit({
      type: "delete:short",
      source: source.config.id,
      asked: ids.length,
      deleted: halved.gone,
    });
    if (halved.stoppedBy !== null) return { gone, stoppedBy: halved.stoppedBy };
  }
  return { gone, stoppedBy: null };
}

/** A delete that came up short does not say which were there: a listing does. What is still listed stays pending. */
async function proveAbsent(
  source: SourceRuntime,
  entries: readonly PendingEntry[],
  signal: AbortSignal,
): Promise<{ readonly absent: readonly DlqId[]; readonly listed: readonly DlqId[] }> {
  const wanted = entries.map(({ dlqId, view }) => ({ dlqId, messageId: view.messageId }));
  const { absent, records } = await findRecords(source, wanted, signal);
  if (absent.length > 0) await source.ledger.gone(absent);
  if (records.length > 0) {
    await source.ledger.deleteFailed(entries.flatMap(({ dlqId }) => (absent.includes(dlqId) ? [] : [dlqId])));
  }
  return { absent, listed: records.map(({ dlqId }) => dlqId as DlqId) };
}

function byDrain<Entry extends { readonly view: { readonly drain: DrainName | null } }>(
  entries: readonly Entry[],
): ReadonlyMap<Entry["view"]["drain"], readonly Entry[]> {
  const groups = new Map<Entry["view"]["drain"], Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.view.drain);
    if (group === undefined) groups.set(entry.view.drain, [entry]);
    else group.push(entry);
  }
  return groups;
}

async function reconcileUnknown(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  patience: Patience,
  signal: AbortSignal,
): Promise<number> {
  let reconciled = 0;
  let offset = 0;
  for (let page = 0; page < pagesPerSweep && !signal.aborted; page += 1) {
    const { entries } = await source.ledger.unknownOutcomes(entriesPerPage, offset);
    if (entries.length === 0) break;
    let finished = 0;
    for (const [name, ofDrain] of byDrain(entries)) {
      const drain = name === null ? undefined : drains.get(name);
      // What a drain that may not act has in doubt stays there, and keeps nobody else waiting.
      if (drain === undefined || drain.config.paused) continue;
      const isLive = drain.config.mode === "live";
      // Before its horizon an entry is asked for in every sweep: afterwards only policy is left. In plan mode somebody's order
      // left it; asking under the same id ends what was begun, and past the horizon nothing new is begun without an order.
      const now = ofDrain.filter(({ dlqId, view }) => !view.pastHorizon || (isLive && patience.isDue(dlqId)));
      if (now.length === 0) continue;
      const acting: DrainRuntime = isLive ? drain : { ...drain, config: { ...drain.config, mode: "live" } };
      finished += await reconcileDrain(acting, now, signal);
      for (const { dlqId } of now) patience.note(dlqId);
    }
    reconciled += finished;
    offset += entries.length - finished;
  }
  return reconciled;
}

async function reconcileDrain(
  drain: DrainRuntime,
  entries: readonly OpenEntry[],
  signal: AbortSignal,
): Promise<number> {
  const { source, config } = drain;
  const wanted = entries.map(({ dlqId, view }) => ({ dlqId, messageId: view.messageId }));
  const { records, readAt, absent } = await findRecords(source, wanted, signal);
  const { tally } = await workPage(drain, { records, readAt }, signal);
  // Not before its horizon: a listing may lag, and while a POST may still be made there is time to look again.
  const vanished = entries.filter(({ dlqId, view }) => view.pastHorizon && absent.includes(dlqId));
  if (vanished.length > 0) {
    // Nothing is left to publish again; whether it was published stays unknown, and a person is told so.
    await writeParked(
      drain,
      vanished.map(({ dlqId, view }) => ({ dlqId, reason: "vanished", rule: null, attempt: view.attempt })),
    );
    for (const { dlqId } of vanished) {
      const decision: Decision = { then: "park", reason: "vanished", rule: null };
      const common = { drain: config.name, source: source.config.id, dlqId, mode: config.mode };
      source.events.emit({
        type: "record:decided",
        ...common,
        decision,
        explanation: explainDecision(decision),
      });
    }
  }
  return tally.republished + tally.deleted + vanished.length;
}
