import { explainDecision } from "../../rules/explain-decision.ts";
import type { Decision } from "../../rules/decision.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { OpenEntry } from "../../ports/ledger-entries.ts";
import { byDrain } from "./by-drain.ts";
import { findRecords, type SearchBudget } from "../listing/find-records.ts";
import type { Patience } from "./per-id-backoff.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { writeParked } from "../page/park.ts";
import { workPage } from "../page/work-page.ts";

const entriesPerPage = 100;
/** Pages of open outcomes in one sweep; the next sweep goes on. */
const pagesPerSweep = 50;

/** What one half of a sweep came to. */
export interface SweptHalf {
  /** Finished by it. */
  readonly done: number;
  /** The first thing that kept it from more; null: nothing did. */
  readonly failure: unknown;
}

/**
 * Finds the records of unknown outcomes and hands what each listing shows to the same page flow as a pass.
 */
export async function reconcileUnknown(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  patience: Patience,
  budget: SearchBudget,
  signal: AbortSignal,
): Promise<SweptHalf> {
  let reconciled = 0;
  let failure: unknown = null;
  let offset = 0;
  for (let page = 0; page < pagesPerSweep && budget.callsLeft > 0 && !signal.aborted; page += 1) {
    const { entries } = await source.ledger.unknownOutcomes(entriesPerPage, offset);
    if (entries.length === 0) break;
    let finished = 0;
    for (const [name, ofDrain] of byDrain(entries)) {
      const drain = name === null ? undefined : drains.get(name);
      // What a drain that may not act has in doubt stays there, and keeps nobody else waiting.
      if (drain === undefined || drain.config.paused) continue;
      const isLive = drain.config.mode === "live";
      // Before its horizon an entry is asked for in every sweep: afterwards only policy is left. In plan mode
      // somebody's order left it; asking under the same id ends what was begun, and past the horizon nothing
      // new is begun without an order.
      const now = ofDrain.filter(({ dlqId, view }) => !view.pastHorizon || (isLive && patience.isDue(dlqId)));
      if (now.length === 0) continue;
      const acting: DrainRuntime = isLive ? drain : { ...drain, config: { ...drain.config, mode: "live" } };
      const half = await reconcileDrain(acting, now, budget, signal);
      finished += half.done;
      failure ??= half.failure;
      for (const { dlqId } of now) patience.note(dlqId);
    }
    reconciled += finished;
    offset += entries.length - finished;
  }
  return { done: reconciled, failure };
}

async function reconcileDrain(
  drain: DrainRuntime,
  entries: readonly OpenEntry[],
  budget: SearchBudget,
  signal: AbortSignal,
): Promise<SweptHalf> {
  const { source } = drain;
  const wanted = entries.map(({ dlqId, view }) => ({ dlqId, messageId: view.messageId }));
  let finished = 0;
  let firstFailure: unknown = null;
  for await (const { records, readAt, absent, failure } of findRecords(source, wanted, budget, signal)) {
    firstFailure ??= failure;
    if (records.length > 0) {
      const { tally } = await workPage(drain, { records, readAt }, signal);
      finished += tally.republished + tally.deleted;
    }
    finished += await parkVanished(drain, entries, new Set(absent));
  }
  return { done: finished, failure: firstFailure };
}

/**
 * Not before its horizon: a listing may lag, and while a POST may still be made there is time to look again.
 */
async function parkVanished(
  drain: DrainRuntime,
  entries: readonly OpenEntry[],
  absent: ReadonlySet<DlqId>,
): Promise<number> {
  const { source, config } = drain;
  const vanished = entries.filter(({ dlqId, view }) => view.pastHorizon && absent.has(dlqId));
  if (vanished.length === 0) return 0;
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
  return vanished.length;
}
