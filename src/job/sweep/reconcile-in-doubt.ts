import type { DlqId } from "../message/dead-letter.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { OpenEntry } from "../contracts/ledger-entries.ts";
import type { Decision } from "../rules/decision.ts";
import { explainDecision } from "../rules/explain-decision.ts";
import { groupBy } from "../../group-items-by-key.ts";
import { findRecords, type SearchBudget } from "../listing/find-records.ts";
import { enteredAtOfId } from "../message/parse-record.ts";
import { serviceNow } from "../contracts/service.ts";
import { ofDrain, recordFact } from "../write-audit.ts";
import { writeParked } from "../page/park.ts";
import { countActs, workCounted } from "../failures/count-acts.ts";
import type { PageOutcome } from "../page/page-report.ts";
import type { CarefulJob } from "../pass/careful-job.ts";
import { putLostAside } from "../pass/work-carefully.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import type { PerIdBackoff } from "./per-id-backoff.ts";

const entriesPerPage = 100;
const pagesPerSweep = 50;

export interface SweptHalf {
  readonly done: number;
  readonly failure: unknown;
}

export async function reconcileInDoubt(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  backoff: PerIdBackoff,
  job: CarefulJob,
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
    for (const [name, ofDrain] of groupBy(entries, ({ view }) => view.drain)) {
      const drain = name === null ? undefined : drains.get(name);
      // Records in doubt of a drain that may not act stay, and delay no others.
      if (drain === undefined || drain.config.paused) continue;
      const isLive = drain.config.mode === "live";
      // Before its horizon an entry is tried in every sweep; afterwards only the policy is left. In plan mode it
      // comes from a person's order, and past the horizon nothing new begins without one. A discard is ended at any
      // time. The service's own retry has no horizon, and what is listed after it may fail for ever.
      const now = ofDrain.filter(({ dlqId, view }) => {
        if (view.via === undefined ? !view.pastHorizon : backoff.isDue(dlqId)) return true;
        return view.isDiscarded === true || (isLive && backoff.isDue(dlqId));
      });
      if (now.length === 0) continue;
      const acting: DrainRuntime = isLive ? drain : { ...drain, config: { ...drain.config, mode: "live" } };
      const half = await reconcileDrain(acting, now, job, budget, signal);
      finished += half.done;
      failure ??= half.failure;
      for (const { dlqId } of now) backoff.note(dlqId);
    }
    reconciled += finished;
    offset += entries.length - finished;
  }
  return { done: reconciled, failure };
}

async function reconcileDrain(
  drain: DrainRuntime,
  entries: readonly OpenEntry[],
  job: CarefulJob,
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
      const count = ({ tally }: PageOutcome): void => {
        finished += tally.republished + tally.deleted;
      };
      await job.each(
        records,
        async (some) => count(await workCounted(drain, { records: some, readAt }, signal)),
        async (one) => {
          const outcome = await putLostAside(drain, one, readAt);
          await countActs(drain, outcome.failures);
          count(outcome);
        },
      );
    }
    const gone = new Set(absent);
    finished += await parkVanished(drain, entries, gone);
    finished += await concludeTaken(drain, entries, gone);
  }
  return { done: finished, failure: firstFailure };
}

/** What the service's own retry was asked for, and what is gone since, was published by it: as nobody knows what. */
async function concludeTaken(drain: DrainRuntime, entries: readonly OpenEntry[], absent: ReadonlySet<DlqId>) {
  const { source, config } = drain;
  const taken = entries.flatMap(({ dlqId, view }) =>
    view.via === "service" && absent.has(dlqId)
      ? [{ dlqId, attempt: view.attempt + 1, messageId: view.messageId }]
      : [],
  );
  if (taken.length === 0) return 0;
  const fact = { as: null, deletePending: false, drain: config.name };
  await source.ledger.published(taken.map((one) => ({ ...one, ...fact })));
  const notes = ["message-unknown"];
  const written = taken.map(({ dlqId, attempt }) => ({ dlqId, attempt, notes, rule: null }));
  await recordFact(source, "published", written, ofDrain(drain));
  const now = serviceNow(source);
  const records = taken.map(({ dlqId, attempt }) => {
    const waitedMs = Math.max(0, now - (enteredAtOfId(dlqId) ?? now));
    return { dlqId, messageId: null, deduplicated: false, attempt, canary: false, waitedMs };
  });
  source.events.emit({ type: "record:published", drain: config.name, source: source.config.id, records });
  return taken.length;
}

/** Parks absent records past their horizon. Before it there is time to search again: a listing may lag. */
async function parkVanished(drain: DrainRuntime, entries: readonly OpenEntry[], absent: ReadonlySet<DlqId>) {
  const { source, config } = drain;
  const vanished = entries.filter(({ dlqId, view }) => view.pastHorizon && absent.has(dlqId));
  if (vanished.length === 0) return 0;
  // Nothing is left to publish. Whether it was published stays in doubt, and a person learns that.
  await writeParked(
    drain,
    vanished.map(({ dlqId, view }) => ({ dlqId, reason: "vanished", rule: null, attempt: view.attempt })),
  );
  const decision: Decision = { then: "park", reason: "vanished", rule: null };
  const common = { drain: config.name, source: source.config.id, mode: config.mode };
  const explain = (): string => explainDecision(decision);
  const records = vanished.map(({ dlqId }) => ({ dlqId, decision, explain }));
  source.events.emit({ type: "record:decided", ...common, records });
  return vanished.length;
}
