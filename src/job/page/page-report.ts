import type { DlqId, KeptLetter, UnusableRecord } from "../message/dead-letter.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import type { EventOf } from "../contracts/events.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { emptyTally, type Tally } from "../contracts/tally.ts";
import type { Decision, HoldReason } from "../rules/decision.ts";
import { explainDecision } from "../rules/explain-decision.ts";
import { createFailureTally, type FailureTally } from "../failures/count-failures.ts";
import { unreadableKind } from "../failures/failure-kind.ts";
import { dayMs } from "../listing/record-dates.ts";
import { serviceNow, type DrainRuntime } from "../runtime.ts";
import type { Candidate, DecidedRecord, KnownRecord } from "./records.ts";
import type { DropResult, PublishResult } from "./results.ts";
import type { Settled } from "./settle.ts";

/** A record that this page leaves in the DLQ: still due, held, or parked. */
export interface LeftRecord {
  readonly dlqId: DlqId;
  readonly reason: HoldReason | ParkReason;
  /** Unix ms by the service's clock. */
  readonly enteredAt: number;
  /** When to decide it again, if known. Unix ms by the service's clock; 0: at once. */
  readonly dueAt?: number;
}

export interface PageOutcome {
  readonly tally: Tally;
  readonly left: readonly LeftRecord[];
  /** Published or archived by this page, or decided to be parked. */
  readonly acted: readonly DlqId[];
  readonly failures: FailureTally;
  /** True if it may have deleted records, also if no answer said so. */
  readonly mayHaveDeleted: boolean;
}

/** Holds for lack of capacity. Such a record is due, and only something temporary holds it. */
const capacityReasons: ReadonlySet<HoldReason> = new Set([
  "not-sent",
  "source-halted",
  "settle-gate",
  "ledger-full",
  "paused",
  "page-too-old",
  "stopping",
  "rate-limit",
  "pass-limit",
  "day-limit",
  "archive-missing",
]);

const doneBefore: Decision = { then: "settle", reason: "published-before", rule: null };
const inDoubt: Decision = { then: "hold", reason: "outcome-unknown", rule: null };

/** What a count by kind of failure needs of a record. */
type Counted = Pick<DecidedRecord, "failure" | "view"> & { readonly letter: KeptLetter };

/** It does not wait any more: only its delete may be left. */
function isDone({ state }: LedgerView): boolean {
  return state === "published" || state === "archived" || state === "gone";
}

export type PageReport = ReturnType<typeof createPageReport>;

/** Counts and reports the results of a page's stages. Each decision is reported once, with its reason. */
export function createPageReport(drain: DrainRuntime, failures: FailureTally = createFailureTally()) {
  const { events } = drain.source;
  const of = { drain: drain.config.name, source: drain.source.config.id };
  const tally: { -readonly [Key in keyof Tally]: Tally[Key] } = { ...emptyTally, pages: 1 };
  const holds: Record<"due" | "held", { [Reason in HoldReason]?: number }> = { due: {}, held: {} };
  const parks: { [Reason in ParkReason]?: number } = {};
  const { countedTo = Infinity, lateFrom = Infinity } = drain;
  const ruleTexts = new Map(drain.config.rules.map(({ name, then }) => [name, `${then} ${name}`]));
  const otherwiseText = `${drain.config.otherwise} otherwise`;
  const left: LeftRecord[] = [];
  const acted: DlqId[] = [];
  let mayHaveDeleted = false;
  let decisions: EventOf<"record:decided">["records"][number][] = [];

  const addDecision = (
    dlqId: DlqId | null,
    decision: Decision,
    explain = (): string => explainDecision(decision),
  ): void => {
    decisions.push({ dlqId, decision, explain });
  };
  /** One event for all decisions since the last: of a stage, or of a batch. */
  const emitDecisions = (): void => {
    if (decisions.length === 0) return;
    events.emit({ type: "record:decided", ...of, mode: drain.config.mode, records: decisions });
    decisions = [];
  };
  const { config } = drain.source;
  const expiresInDayFrom = serviceNow(drain.source) + dayMs - config.retentionMs;
  const countAge = ({ enteredAt }: Pick<KeptLetter, "enteredAt">): void => {
    tally.oldestRecordAt = Math.min(tally.oldestRecordAt ?? enteredAt, enteredAt);
    if (enteredAt <= expiresInDayFrom) tally.expiringInDay += 1;
  };
  const leave = (
    letter: Pick<KeptLetter, "dlqId" | "enteredAt">,
    reason: LeftRecord["reason"],
    dueAt?: number,
  ): void => {
    countAge(letter);
    const { dlqId, enteredAt } = letter;
    left.push({ dlqId, reason, enteredAt, ...(dueAt === undefined ? {} : { dueAt }) });
  };
  const countPark = (reason: ParkReason): void => {
    tally.parked += 1;
    parks[reason] = (parks[reason] ?? 0) + 1;
  };
  const hold = (
    letter: Pick<KeptLetter, "dlqId" | "enteredAt">,
    { reason, until }: Extract<Decision, { then: "hold" }>,
  ): void => {
    const isDue = capacityReasons.has(reason);
    const as = isDue ? "due" : "held";
    tally[as] += 1;
    holds[as][reason] = (holds[as][reason] ?? 0) + 1;
    leave(letter, reason, isDue ? (until ?? 0) : until);
  };

  /** No ledger remembers what a plan would park. So it counts as it arrives, and later passes meet it again. */
  const parkedName = ({ enteredAt }: Pick<KeptLetter, "enteredAt">): "parked" | "parkedBefore" =>
    drain.config.mode === "live" || enteredAt > countedTo ? "parked" : "parkedBefore";
  const countParkChange = ({ letter, failure, view }: Counted, isParked: boolean): void => {
    const change = Number(isParked) - Number(view.state === "parked");
    if (change !== 0) failures.add(failure, letter.dlqId, parkedName(letter), change);
  };
  const countDone = (record: Counted, name: "published" | "dropped"): void => {
    const { failure, letter } = record;
    failures.add(failure, letter.dlqId, name);
    if (letter.enteredAt > countedTo)
      failures.arrived(failure, letter.dlqId, letter.enteredAt, "arrivedDone");
    countParkChange(record, false);
  };

  /** By the rule that matched, also if time, attempts or capacity hold the record. */
  const countRule = ({ failure, letter }: Counted, { rule, reason }: Decision): void => {
    const text = rule === null && reason === "otherwise" ? otherwiseText : ruleTexts.get(rule ?? "");
    // The ledger decides some before any rule is asked.
    if (text !== undefined) failures.ruled(failure, letter.dlqId, text);
  };

  const finalDecision = (record: DecidedRecord): void => {
    const { letter, decision, failure } = record;
    countRule(record, decision);
    if (decision.then === "park" || decision.then === "hold") failures.stays(failure, letter.dlqId);
    if (!isDone(record.view)) countParkChange(record, decision.then === "park");
    addDecision(letter.dlqId, decision, () => explainDecision(decision, record.facts));
    if (decision.then === "park") {
      countPark(decision.reason);
      acted.push(letter.dlqId);
      // In live mode this page unparks a vanished record that is listed, and the next pass decides it.
      leave(letter, decision.reason, decision.reason === "vanished" ? 0 : undefined);
    } else if (decision.then === "hold") {
      if (decision.reason !== "outcome-unknown" && decision.reason !== "in-flight") {
        hold(letter, decision);
        return;
      }
      tally.inDoubt += 1;
      leave(letter, decision.reason, decision.until);
    }
  };

  return {
    unusable(records: readonly UnusableRecord[]): void {
      tally.listed += records.length;
      for (const { dlqId = null, reason, problem } of records) {
        countPark(reason);
        failures.add(unreadableKind, null, "seen");
        // No ledger remembers it. Each pass meets it anew, and only a full one counts it.
        failures.add(unreadableKind, null, "parkedBefore");
        const decision: Decision = { then: "park", reason, rule: null };
        addDecision(dlqId, decision, () => `${explainDecision(decision)}: ${problem}`);
      }
    },
    /** A record that no page gets through or that nobody can read, parked or held. */
    apart(
      letter: Pick<KeptLetter, "dlqId" | "enteredAt">,
      decision: Extract<Decision, { then: "park" | "hold" }>,
      wasParked: boolean,
      problem?: string,
    ): void {
      const { dlqId } = letter;
      tally.listed += 1;
      failures.add(unreadableKind, dlqId, "seen");
      if (letter.enteredAt > countedTo) failures.arrived(unreadableKind, dlqId, letter.enteredAt, "arrived");
      if (wasParked) failures.add(unreadableKind, dlqId, "parkedBefore");
      failures.stays(unreadableKind, dlqId);
      const text = (): string => explainDecision(decision);
      addDecision(dlqId, decision, problem === undefined ? text : () => `${text()}: ${problem}`);
      if (decision.then === "hold") {
        hold(letter, decision);
        return;
      }
      if (!wasParked) failures.add(unreadableKind, dlqId, parkedName(letter));
      countPark(decision.reason);
      acted.push(dlqId);
      leave(letter, decision.reason);
    },
    comeBacks(records: readonly KnownRecord[]): void {
      const found: EventOf<"record:come-back">["records"][number][] = [];
      for (const { letter, reading, failure, isNewComeBack } of records) {
        if (reading.kind !== "come-back") continue;
        const isUncounted = letter.enteredAt > countedTo;
        // A plan writes no evidence, so that none is new to it.
        if (isUncounted && drain.config.mode === "plan") failures.add(failure, letter.dlqId, "cameBack");
        if (!isNewComeBack) continue;
        // Not again what plans have counted before the drain went live, nor what has been here for so long that
        // its evidence was forgotten. A recalled window counts no arrivals, and goes by the evidence alone.
        const isCounted = !isUncounted && letter.enteredAt < lateFrom && countedTo !== Infinity;
        if (!isCounted) failures.add(failure, letter.dlqId, "failedAgain");
        const { parentDlqId, attempt, step } = reading.lineage;
        found.push({ dlqId: letter.dlqId, parentDlqId, attempt, canary: step?.isCanary === true });
      }
      tally.comeBacks += found.length;
      if (found.length > 0) events.emit({ type: "record:come-back", ...of, records: found });
    },
    listed(records: readonly KnownRecord[]): void {
      tally.listed += records.length;
      for (const { letter, failure, view } of records) {
        if (isDone(view)) continue;
        failures.add(failure, letter.dlqId, "seen");
        if (view.state === "parked") failures.add(failure, letter.dlqId, "parkedBefore");
        if (letter.enteredAt > countedTo)
          failures.arrived(failure, letter.dlqId, letter.enteredAt, "arrived");
      }
    },
    /** Decisions that stay as they are. A candidate's decision is reported with its result. */
    decided(records: readonly DecidedRecord[]): void {
      for (const one of records) finalDecision(one);
      emitDecisions();
    },
    results(results: readonly (PublishResult | DropResult)[]): void {
      for (const result of results) {
        const { letter, decision } = result.candidate;
        const { dlqId } = letter;
        countRule(result.candidate, decision);
        switch (result.kind) {
          case "published":
            addDecision(dlqId, decision);
            countDone(result.candidate, "published");
            tally.republished += 1;
            if (result.deduplicated) tally.deduplicated += 1;
            acted.push(dlqId);
            break;
          case "dropped":
            addDecision(dlqId, decision);
            countDone(result.candidate, "dropped");
            acted.push(dlqId);
            break;
          case "done-before":
            addDecision(dlqId, doneBefore);
            // Whoever did it has counted it.
            failures.add(result.candidate.failure, dlqId, "seen", -1);
            countParkChange(result.candidate, false);
            break;
          case "held": {
            hold(letter, result.decision);
            failures.stays(result.candidate.failure, dlqId);
            countParkChange(result.candidate, false);
            const { decision: holding, why } = result;
            const text = (): string => explainDecision(holding);
            addDecision(dlqId, holding, why === undefined ? text : () => `${text()}: ${why}`);
            break;
          }
          case "parked":
            countPark(result.decision.reason);
            failures.stays(result.candidate.failure, dlqId);
            countParkChange(result.candidate, true);
            leave(letter, result.decision.reason);
            addDecision(dlqId, result.decision);
            acted.push(dlqId);
            break;
          case "in-doubt":
            tally.inDoubt += 1;
            countParkChange(result.candidate, false);
            leave(letter, "outcome-unknown");
            addDecision(dlqId, inDoubt);
            break;
        }
      }
      emitDecisions();
    },
    settled({ deleted, calls }: Settled): void {
      tally.deleted += deleted;
      mayHaveDeleted ||= calls > 0;
    },
    /** `leftDue`: candidates that were decided and not acted on (plan mode). */
    outcome(leftDue: readonly Candidate[]): PageOutcome {
      tally.due += leftDue.length;
      for (const one of leftDue) {
        addDecision(one.letter.dlqId, one.decision);
        countRule(one, one.decision);
        // Plan mode acts on nothing, so the record need not be listed before the next full pass.
        countAge(one.letter);
      }
      emitDecisions();
      return {
        tally: { ...tally, reasons: { ...holds, parked: parks } },
        left,
        acted,
        failures,
        mayHaveDeleted,
      };
    },
  };
}
