/**
 * One page of dead letters, from listing to deletion. The order of the stages is the delivery guarantee:
 *
 *   collect ─► look up ─► decide ─┬─► park
 *                                 ├─► settle again what was published before
 *                                 └─► prepare ─► (begin ─► republish ─► settle), batch by batch
 *
 * In plan mode it ends after decide.
 */
import { packBatches } from "../message/pack-batches.ts";
import type { DlqId } from "../message/dead-letter.ts";
import type { HoldReason } from "../rules/decision.ts";
import { explainDecision } from "../rules/explain-decision.ts";
import { serviceNow, type DrainRuntime } from "./runtime.ts";
import { collect } from "./stages/collect.ts";
import { decideRecord } from "./stages/decide.ts";
import { lookUp } from "./stages/look-up.ts";
import { parkRecords } from "./stages/park.ts";
import { prepare } from "./stages/prepare.ts";
import type { Candidate, DecidedRecord, KnownRecord, Page } from "./stages/records.ts";
import { republish } from "./stages/republish.ts";
import { settle } from "./stages/settle.ts";
import { createPageReport, type PageOutcome } from "./page-report.ts";

/** Works one page. Throws RedriverErrors of the ledger (`redis-unavailable`); failures of the service are in the outcome. */
export async function workPage(drain: DrainRuntime, page: Page, signal: AbortSignal): Promise<PageOutcome> {
  const { source } = drain;
  const report = createPageReport(drain);
  await source.unwritten.replay(source.ledger);

  const { found, unusable } = collect(page.records, source.lineageKeys());
  report.unusable(unusable);
  const known = await lookUp(drain, found);
  report.comeBacks(known);

  const candidates: Candidate[] = [];
  const toPark: DecidedRecord[] = [];
  const doneBefore: DlqId[] = [];
  for (const record of known) {
    const one = decideOne(drain, record);
    report.decided(one.decided, one.candidate === null ? "final" : "candidate");
    if (one.candidate !== null) candidates.push(one.candidate);
    else if (one.decided.decision.then === "park") toPark.push(one.decided);
    else if (one.decided.decision.then === "settle") doneBefore.push(record.letter.dlqId);
  }
  if (drain.config.mode === "plan") return report.outcome(candidates);

  await takeUpAgain(drain, known);
  await parkRecords(drain, toPark);
  report.settled((await settle(source, drain.config.name, doneBefore, signal)).deleted);
  for (const batch of packBatches(candidates, {
    maxCount: source.publish.maxItems,
    maxBytes: source.publish.maxBytes,
  })) {
    const reason = whyNotNow(drain, signal);
    if (reason !== null) {
      report.notTried(batch, reason);
      continue;
    }
    const results = await republish(drain, batch, page.readAt, signal);
    report.results(results);
    const proven = results.flatMap((result) =>
      result.kind === "published" || result.kind === "done-before" ? [result.candidate.letter.dlqId] : [],
    );
    report.settled((await settle(source, drain.config.name, proven, signal)).deleted);
  }
  return report.outcome([]);
}

/** Parked as vanished, and listed all the same: the listing that lacked them lagged. The next page that has them decides. */
async function takeUpAgain({ source }: DrainRuntime, known: readonly KnownRecord[]): Promise<void> {
  const back = known.flatMap(({ letter, view }) =>
    view.state === "parked" && view.reason === "vanished" ? [letter.dlqId] : [],
  );
  if (back.length > 0) await source.ledger.release(back);
}

/** What keeps the next batch from being sent now. */
function whyNotNow({ config, source }: DrainRuntime, signal: AbortSignal): HoldReason | null {
  if (config.paused) return "paused";
  if (signal.aborted) return "stopping";
  switch (source.health.current().state) {
    case "usable":
      return null;
    case "waiting":
      return "not-sent";
    case "halted":
      return "source-halted";
  }
}

/** The rules' decision, made a park where a due record cannot be rebuilt. */
function decideOne(
  drain: DrainRuntime,
  record: KnownRecord,
): { decided: DecidedRecord; candidate: Candidate | null } {
  const { decision, facts } = decideRecord(drain.config, record, serviceNow(drain.source));
  const decided: DecidedRecord = {
    ...record,
    attempt: facts.attempt,
    decision,
    explanation: explainDecision(decision, facts),
  };
  if (decision.then !== "republish") return { decided, candidate: null };

  const prepared = prepare(decided, decision.set, {
    headerPrefix: drain.source.headerPrefix,
    lineageKey: drain.source.lineageKeys()[0],
  });
  if (prepared.kind === "candidate") return { decided, candidate: prepared.candidate };
  const parked = { then: "park", reason: prepared.reason, rule: decision.rule } as const;
  return {
    decided: { ...decided, decision: parked, explanation: explainDecision(parked, facts) },
    candidate: null,
  };
}
