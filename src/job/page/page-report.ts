import { serviceNow } from "../contracts/service.ts";
import type { DlqId, RawRecord, UnusableRecord } from "../message/dead-letter.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import type { EventOf } from "../contracts/events.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { emptyTally, type Tally } from "../contracts/tally.ts";
import type { Decision, HoldReason } from "../rules/decision.ts";
import { explainDecision } from "../rules/explain-decision.ts";
import type { RecordFacts } from "../rules/record-facts.ts";
import type { SharedLetters } from "../failures/shared-letters.ts";
import { FailureTally } from "../failures/count-failures.ts";
import { unreadableKind, type FailureKind } from "../message/failure-kind.ts";
import { dayMs, hourMs } from "../listing/record-dates.ts";
import type { DrainRuntime } from "../runtime.ts";
import { toComeBackFields } from "../lanes/come-back-from-record.ts";
import { isDiscard } from "./decide-letter.ts";
import type { Fate } from "./fate.ts";
import { isByService, type Letter } from "./letter.ts";
import type { Settled } from "./settle.ts";

export interface PageOutcome {
  readonly tally: Tally;
  /** What this page leaves in the DLQ: still due, held, or parked. */
  readonly left: readonly {
    readonly dlqId: DlqId;
    readonly reason: HoldReason | ParkReason;
    readonly enteredAt: number;
    /** When to decide it again, if known. Unix ms by the service's clock; 0: at once. */
    readonly dueAt?: number;
  }[];
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

type Dated = Pick<Letter, "dlqId" | "enteredAt" | "failure">;

function isDone({ state }: LedgerView): boolean {
  return state === "published" || state === "archived" || state === "gone";
}

export type PageReport = ReturnType<typeof createPageReport>;

/** The only place that counts the fates of a page. Each decision is reported once, with its reason. */
export function createPageReport(drain: DrainRuntime, failures: FailureTally = new FailureTally()) {
  const { events } = drain.source;
  const of = { drain: drain.config.name, source: drain.source.config.id };
  const tally: { -readonly [Key in keyof Tally]: Tally[Key] } = { ...emptyTally, pages: 1 };
  type Counts<Reason extends string> = Partial<Record<Reason, number>>;
  const holds = { due: {}, held: {}, anew: {} } as Record<"due" | "held" | "anew", Counts<HoldReason>>;
  const parks: Counts<ParkReason> = {};
  const { countedTo = Infinity, lateFrom = Infinity } = drain;
  const ruleTexts = new Map(drain.config.rules.map(({ name, then }) => [name, `${then} ${name}`]));
  const otherwiseText = `${drain.config.otherwise} otherwise`;
  const left: PageOutcome["left"][number][] = [];
  // What the archive has is in no queue.
  const shared = drain.fromArchive === undefined ? drain.shared : undefined;
  // A plan takes nothing.
  const told = drain.config.mode === "live" ? shared : undefined;
  const othersOf = new Map<Letter, ReturnType<SharedLetters["of"]>>();
  let open: readonly Letter[] = [];
  const acted: DlqId[] = [];
  let mayHaveDeleted = false;
  let decisions: EventOf<"record:decided">["records"][number][] = [];

  const addDecision = (dlqId: DlqId | null, decision: Decision, why?: string, facts?: RecordFacts): void => {
    const explain = (): string => `${explainDecision(decision, facts)}${why === undefined ? "" : `: ${why}`}`;
    decisions.push({ dlqId, decision, explain });
  };
  const emitDecisions = (): void => {
    if (decisions.length === 0) return;
    events.emit({ type: "record:decided", ...of, mode: drain.config.mode, records: decisions });
    decisions = [];
  };
  const { retentionMs } = drain.source.config;
  const now = serviceNow(drain.source);
  // Until the next full pass has ended, the day goes on.
  const expiringUntil = now + dayMs + 2 * drain.config.fullEveryMs + hourMs;
  const countAge = ({ dlqId, enteredAt, failure }: Dated): void => {
    tally.oldestRecordAt = Math.min(tally.oldestRecordAt ?? enteredAt, enteredAt);
    failures.left(failure, dlqId, enteredAt);
    const expiresAt = enteredAt + retentionMs;
    if (expiresAt <= expiringUntil) failures.byHour(failure, dlqId, expiresAt, "expires");
  };
  const leave = (letter: Dated, reason: HoldReason | ParkReason, dueAt?: number): void => {
    countAge(letter);
    const { dlqId, enteredAt } = letter;
    left.push(dueAt === undefined ? { dlqId, reason, enteredAt } : { dlqId, reason, enteredAt, dueAt });
  };
  const countPark = (reason: ParkReason): void => {
    tally.parked += 1;
    parks[reason] = (parks[reason] ?? 0) + 1;
  };
  const hold = (letter: Dated, { reason, until }: Extract<Decision, { then: "hold" }>): void => {
    const isDue = capacityReasons.has(reason);
    const as = isDue ? "due" : "held";
    tally[as] += 1;
    holds[as][reason] = (holds[as][reason] ?? 0) + 1;
    if (!isDue && letter.enteredAt > countedTo) holds.anew[reason] = (holds.anew[reason] ?? 0) + 1;
    leave(letter, reason, isDue ? (until ?? 0) : until);
  };

  /** No ledger remembers what a plan would park: it counts as it arrives, and later passes meet it again. */
  const parkedName = ({ enteredAt }: Dated): "parked" | "parkedBefore" =>
    drain.config.mode === "live" || enteredAt > countedTo ? "parked" : "parkedBefore";
  const countParkChange = (letter: Letter, isParked: boolean): void => {
    const change = Number(isParked) - Number(letter.view.state === "parked");
    if (change === 0) return;
    failures.add(letter.failure, letter.dlqId, parkedName(letter), change);
    told?.parked(othersOf.get(letter) ?? [], letter, change);
  };
  const countDone = (letter: Letter, name: "published" | "dropped"): void => {
    const { failure, dlqId, enteredAt } = letter;
    failures.add(failure, dlqId, name);
    if (enteredAt > countedTo) failures.byHour(failure, dlqId, enteredAt, "arrivedDone");
    else if (enteredAt + retentionMs <= expiringUntil) {
      failures.byHour(failure, dlqId, enteredAt + retentionMs, "expiresDone");
    }
    told?.took(othersOf.get(letter) ?? [], letter);
    countParkChange(letter, false);
    acted.push(dlqId);
  };

  /** By the rule that matched, also if time, attempts or capacity hold it. The ledger decides some before any rule. */
  const countRule = ({ failure, dlqId, decision: { rule, reason } }: Letter): void => {
    const text = rule === null && reason === "otherwise" ? otherwiseText : ruleTexts.get(rule ?? "");
    if (text !== undefined) failures.named(failure, dlqId, "ruled", text);
  };

  const countDecided = (letter: Letter): void => {
    const { dlqId, decision, failure, view, facts } = letter;
    if (decision.then === "park" || decision.then === "hold") failures.stays(failure, dlqId);
    if (!isDone(view)) countParkChange(letter, decision.then === "park");
    addDecision(dlqId, decision, undefined, facts ?? undefined);
    if (decision.then === "park") {
      countPark(decision.reason);
      acted.push(dlqId);
      // In live mode this page unparks a vanished record that is listed, and the next pass decides it.
      leave(letter, decision.reason, decision.reason === "vanished" ? 0 : undefined);
    } else if (decision.then === "hold") {
      if (decision.reason !== "outcome-unknown" && decision.reason !== "in-flight") {
        return hold(letter, decision);
      }
      tally.inDoubt += 1;
      leave(letter, decision.reason, decision.until);
    }
  };

  const count = (letter: Letter, fate: Fate): void => {
    const { dlqId, decision, failure } = letter;
    if (fate.kind === "not-ordered") return;
    countRule(letter);
    if (isByService(letter)) mayHaveDeleted = true;
    switch (fate.kind) {
      case "decided":
        countDecided(letter);
        break;
      case "planned":
        tally.due += 1;
        addDecision(dlqId, decision);
        // Plan mode acts on nothing, so the record need not be listed before the next full pass.
        countAge(letter);
        break;
      case "published":
        addDecision(dlqId, decision);
        countDone(letter, "published");
        tally.republished += 1;
        if (fate.isGone === true && !letter.isFromArchive) {
          tally.deleted += 1;
          events.emit({ type: "record:settled", ...of, count: 1 });
        }
        if (fate.deduplicated) tally.deduplicated += 1;
        break;
      case "dropped":
        addDecision(dlqId, decision);
        countDone(letter, "dropped");
        if (isDiscard(decision)) failures.add(failure, dlqId, "discarded");
        break;
      case "done-before":
        addDecision(dlqId, doneBefore);
        // Whoever did it has counted it, and its arrival too.
        failures.shared.delete(dlqId);
        failures.add(failure, dlqId, "seen", -1);
        if (letter.enteredAt > countedTo) failures.byHour(failure, dlqId, letter.enteredAt, "arrived", -1);
        othersOf.delete(letter);
        countParkChange(letter, false);
        break;
      case "held":
        hold(letter, fate.decision);
        failures.stays(failure, dlqId);
        // What a discard did not take stays where it was.
        countParkChange(letter, isDiscard(decision) && letter.view.state === "parked");
        addDecision(dlqId, fate.decision, fate.why);
        break;
      case "parked":
        countPark(fate.decision.reason);
        failures.stays(failure, dlqId);
        countParkChange(letter, true);
        leave(letter, fate.decision.reason);
        addDecision(dlqId, fate.decision);
        acted.push(dlqId);
        break;
      case "in-doubt":
        tally.inDoubt += 1;
        countParkChange(letter, false);
        leave(letter, "outcome-unknown");
        addDecision(dlqId, inDoubt);
        break;
    }
  };

  const kindOf = (raw: RawRecord | undefined): FailureKind =>
    shared === undefined || raw === undefined
      ? unreadableKind
      : shared.kindOf(shared.of(raw, now), { failure: unreadableKind });

  return {
    unusable(records: readonly UnusableRecord[]): void {
      tally.listed += records.length;
      for (const { dlqId = null, reason, problem, raw } of records) {
        const failure = kindOf(raw);
        countPark(reason);
        failures.add(failure, null, "seen");
        // No ledger remembers it. Each pass meets it anew, and only a full one counts it.
        failures.add(failure, null, "parkedBefore");
        addDecision(dlqId, { then: "park", reason, rule: null }, problem);
      }
    },
    /** A record that no page gets through or that nobody can read, parked or held. */
    apart(
      { raw, ...dated }: Pick<Letter, "dlqId" | "enteredAt"> & { readonly raw?: RawRecord },
      decision: Extract<Decision, { then: "park" | "hold" }>,
      wasParked: boolean,
      problem?: string,
    ): void {
      const letter = { ...dated, failure: kindOf(raw) };
      const { dlqId, enteredAt, failure } = letter;
      tally.listed += 1;
      failures.add(failure, dlqId, "seen");
      if (enteredAt > countedTo) failures.byHour(failure, dlqId, enteredAt, "arrived");
      if (wasParked) failures.add(failure, dlqId, "parkedBefore");
      failures.stays(failure, dlqId);
      addDecision(dlqId, decision, problem);
      if (decision.then === "hold") return hold(letter, decision);
      if (!wasParked) failures.add(failure, dlqId, parkedName(letter));
      countPark(decision.reason);
      acted.push(dlqId);
      leave(letter, decision.reason);
    },
    comeBacks(letters: readonly Letter[]): void {
      const { mode, name } = drain.config;
      const found = new Map<DrainName, EventOf<"record:come-back">["records"][number][]>();
      for (const letter of letters) {
        const { dlqId, enteredAt, reading, failure, isNewComeBack } = letter;
        if (reading.kind !== "come-back") continue;
        const isUncounted = enteredAt > countedTo;
        const isOfPlan = (): boolean => shared?.isNotedElsewhere(letter, now) !== true;
        // A plan writes no evidence, so that none is new to it.
        if (isUncounted && mode === "plan" && isOfPlan()) failures.add(failure, dlqId, "cameBack");
        if (!isNewComeBack) continue;
        tally.comeBacks += 1;
        const sender = shared?.senderOf(letter) ?? name;
        const own = found.get(sender) ?? [];
        found.set(sender, own);
        own.push(...toComeBackFields(letter));
        // Not what plans have counted, nor what has been here until its evidence was forgotten. A recalled window
        // counts no arrivals, and goes by the evidence alone.
        if (!isUncounted && enteredAt < lateFrom && countedTo !== Infinity) continue;
        if (enteredAt <= (drain.planCountedTo ?? 0) && isOfPlan()) continue;
        if (sender === name) failures.failedAgain(letter);
        else shared?.failedAgain(sender, letter);
      }
      for (const [sender, records] of found) {
        events.emit({ type: "record:come-back", ...of, drain: sender, records });
      }
    },
    listed(letters: readonly Letter[]): void {
      open = letters.filter(({ fate }) => fate?.kind !== "not-ordered");
      tally.listed += open.length;
      for (const letter of open) {
        if (isDone(letter.view)) continue;
        if (shared !== undefined) {
          const by = shared.of(letter.raw, now);
          othersOf.set(letter, by);
          letter.failure = shared.kindOf(by, letter);
        }
        const { dlqId, enteredAt, failure, view } = letter;
        failures.add(failure, dlqId, "seen");
        if (view.state === "parked") failures.add(failure, dlqId, "parkedBefore");
        if (enteredAt <= countedTo) continue;
        failures.byHour(failure, dlqId, enteredAt, "arrived");
        if ((othersOf.get(letter)?.length ?? 0) > 0) failures.shared.add(dlqId);
      }
    },
    ended(): void {
      const still: Letter[] = [];
      for (const letter of open) {
        if (letter.fate === null) still.push(letter);
        else count(letter, letter.fate);
      }
      open = still;
      emitDecisions();
    },
    settled({ deleted, calls }: Settled): void {
      tally.deleted += deleted;
      mayHaveDeleted ||= calls > 0;
    },
    outcome(): PageOutcome {
      emitDecisions();
      const reasons = { ...holds, parked: parks };
      return { tally: { ...tally, reasons }, left, acted, failures, mayHaveDeleted };
    },
  };
}
