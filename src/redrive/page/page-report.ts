import type { ParkReason } from "../../message/park-reasons.ts";
import type { DeadLetter, DlqId, UnusableRecord } from "../../message/dead-letter.ts";
import type { Tally } from "../../ports/passes.ts";
import type { Decision, HoldReason } from "../../rules/decision.ts";
import { explainDecision } from "../../rules/explain-decision.ts";
import type { DrainRuntime } from "../runtime.ts";
import type {
  Candidate,
  DecidedRecord,
  DropResult,
  HeldResult,
  KnownRecord,
  PublishResult,
} from "./records.ts";
import { emptyTally } from "../../ports/tally.ts";

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
  /** Published, archived or parked by this page. */
  readonly acted: readonly DlqId[];
}

/** Holds for lack of capacity. Such a record is due, and only something temporary stands in its way. */
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

/** Counts and reports the results of a page's stages. Every decision is reported here with its reason. */
export interface PageReport {
  unusable(records: readonly UnusableRecord[]): void;
  comeBacks(records: readonly KnownRecord[]): void;
  /** A candidate's decision is reported with its result, so that each record is reported once a page. */
  decided(record: DecidedRecord, fate: "final" | "candidate"): void;
  /** Held instead of what was decided. */
  kept(results: readonly HeldResult<DecidedRecord>[]): void;
  notTried(batch: readonly Candidate[], reason: HoldReason): void;
  results(results: readonly (PublishResult | DropResult)[]): void;
  settled(count: number): void;
  /** `leftDue`: candidates that were decided and not acted on (plan mode). */
  outcome(leftDue: readonly Candidate[]): PageOutcome;
}

export function createPageReport(drain: DrainRuntime): PageReport {
  const { events, config: source } = drain.source;
  const { name, mode } = drain.config;
  const tally: { -readonly [Key in keyof Tally]: Tally[Key] } = { ...emptyTally, pages: 1 };
  const holds: Record<"due" | "held", { [Reason in HoldReason]?: number }> = { due: {}, held: {} };
  const parks: { [Reason in ParkReason]?: number } = {};
  const leftRecords: LeftRecord[] = [];
  const acted: DlqId[] = [];

  const countOldest = ({ enteredAt }: DeadLetter): void => {
    tally.oldestRecordAt = Math.min(tally.oldestRecordAt ?? enteredAt, enteredAt);
  };
  const left = (letter: DeadLetter, reason: LeftRecord["reason"], dueAt?: number): void => {
    countOldest(letter);
    const { dlqId, enteredAt } = letter;
    leftRecords.push({ dlqId, reason, enteredAt, ...(dueAt === undefined ? {} : { dueAt }) });
  };
  const countHold = (as: "due" | "held", reason: HoldReason): void => {
    tally[as] += 1;
    holds[as][reason] = (holds[as][reason] ?? 0) + 1;
  };
  const countPark = (reason: ParkReason): void => {
    tally.parked += 1;
    parks[reason] = (parks[reason] ?? 0) + 1;
  };
  const tell = (dlqId: string | null, decision: Decision, explanation: string): void =>
    events.emit({
      type: "record:decided",
      drain: name,
      source: source.id,
      dlqId,
      mode,
      decision,
      explanation,
    });

  const hold = (
    { letter }: DecidedRecord,
    decision: Extract<Decision, { then: "hold" }>,
    why?: string,
  ): void => {
    if (capacityReasons.has(decision.reason)) {
      countHold("due", decision.reason);
      left(letter, decision.reason, decision.until ?? 0);
    } else {
      countHold("held", decision.reason);
      left(letter, decision.reason, decision.until);
    }
    const explanation = explainDecision(decision);
    tell(letter.dlqId, decision, why === undefined ? explanation : `${explanation}: ${why}`);
  };

  return {
    unusable(records) {
      tally.listed += records.length;
      for (const { reason, problem } of records) {
        countPark(reason);
        const decision: Decision = { then: "park", reason, rule: null };
        tell(null, decision, `${explainDecision(decision)}: ${problem}`);
      }
    },
    comeBacks(records) {
      for (const { letter, reading, isNewComeBack } of records) {
        if (!isNewComeBack || reading.kind !== "come-back") continue;
        tally.comeBacks += 1;
        const { parentDlqId, attempt, step } = reading.lineage;
        events.emit({
          type: "record:come-back",
          drain: name,
          source: source.id,
          dlqId: letter.dlqId,
          parentDlqId,
          attempt,
          canary: step?.isCanary === true,
        });
      }
    },
    decided({ letter, decision, explanation }, fate) {
      tally.listed += 1;
      if (fate === "candidate") return;
      tell(letter.dlqId, decision, explanation);
      switch (decision.then) {
        case "hold":
          if (decision.reason === "outcome-unknown" || decision.reason === "in-flight") tally.inDoubt += 1;
          else countHold("held", decision.reason);
          left(letter, decision.reason, decision.until);
          break;
        case "park":
          countPark(decision.reason);
          acted.push(letter.dlqId);
          // The next pass unparks a vanished record that is listed.
          left(letter, decision.reason, decision.reason === "vanished" ? 0 : undefined);
          break;
        case "republish":
        case "drop":
        case "settle":
          break;
      }
    },
    kept(results) {
      for (const { candidate, decision, why } of results) {
        tally.listed += 1;
        hold(candidate, decision, why);
      }
    },
    notTried(batch, reason) {
      for (const candidate of batch) hold(candidate, { then: "hold", reason, rule: candidate.decision.rule });
    },
    results(results) {
      for (const result of results) {
        const { letter, decision, explanation } = result.candidate;
        switch (result.kind) {
          case "published":
            tell(letter.dlqId, decision, explanation);
            tally.republished += 1;
            acted.push(letter.dlqId);
            if (result.deduplicated) tally.deduplicated += 1;
            break;
          case "dropped":
            acted.push(letter.dlqId);
            tell(letter.dlqId, decision, explanation);
            break;
          case "done-before":
            tell(letter.dlqId, doneBefore, explainDecision(doneBefore));
            break;
          case "held":
            hold(result.candidate, result.decision, result.why);
            break;
          case "parked":
            countPark(result.decision.reason);
            acted.push(letter.dlqId);
            left(letter, result.decision.reason);
            tell(letter.dlqId, result.decision, explainDecision(result.decision));
            break;
          case "in-doubt":
            tally.inDoubt += 1;
            left(letter, "outcome-unknown");
            tell(letter.dlqId, inDoubt, explainDecision(inDoubt));
            break;
        }
      }
    },
    settled(count) {
      tally.deleted += count;
    },
    outcome(leftDue) {
      tally.due += leftDue.length;
      for (const { letter, decision, explanation } of leftDue) {
        tell(letter.dlqId, decision, explanation);
        // Plan mode acts on nothing, so the record need not be listed before the next full pass.
        countOldest(letter);
      }
      return { tally: { ...tally, reasons: { ...holds, parked: parks } }, left: leftRecords, acted };
    },
  };
}
