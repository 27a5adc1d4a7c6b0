import type { DlqId } from "../message/dead-letter.ts";
import { proofAddressOf } from "../message/proof-callback-url.ts";
import { isNewlyExhausted } from "../lanes/admit.ts";
import { serviceNow, type DrainRuntime, type ServiceTime } from "../runtime.ts";
import { decideRecord, releasedBy } from "./decide.ts";
import { prepare } from "./prepare.ts";
import type { Candidate, DecidedRecord, KnownRecord } from "./records.ts";

/** The parts of a drain at work that a decision needs. */
export interface DecidingRuntime {
  readonly config: DrainRuntime["config"];
  readonly source: ServiceTime & Pick<DrainRuntime["source"], "headerPrefix" | "lineageKeys" | "checkItem">;
}

export interface DecidedOne {
  readonly decided: DecidedRecord;
  readonly candidate: Candidate | null;
}

/** The records of a page by what is to be done with each. */
export interface SortedPage {
  readonly candidates: readonly Candidate[];
  readonly toDrop: readonly DecidedRecord[];
  readonly toPark: readonly DecidedRecord[];
  /** Without attempts left. Their lanes decide whether they are parked. */
  readonly exhausted: readonly DecidedRecord[];
  /** Parked in the ledger, and no longer to be. */
  readonly toUnpark: readonly DlqId[];
  /** Published or archived before, still listed, and deleted by nobody else just now. */
  readonly doneBefore: readonly DlqId[];
  /** Decided for good by now: everything but candidates, drops and `exhausted`. */
  readonly final: readonly DecidedRecord[];
  /** All but those that were refused. */
  readonly listed: readonly KnownRecord[];
}

/**
 * Decides each record. `readAt`: the ledger's time from before the page's GET. `accepts`: a record that it
 * refuses is left as it is, uncounted. Changes nothing.
 */
export function sortByDecision(
  drain: DrainRuntime,
  known: readonly KnownRecord[],
  readAt: number,
  accepts?: (one: DecidedOne) => boolean,
): SortedPage {
  const isLive = drain.config.mode === "live";
  const candidates: Candidate[] = [];
  const toDrop: DecidedRecord[] = [];
  const toPark: DecidedRecord[] = [];
  const exhausted: DecidedRecord[] = [];
  const toUnpark: DlqId[] = [];
  const doneBefore: DlqId[] = [];
  const final: DecidedRecord[] = [];
  const listed: KnownRecord[] = [];
  for (const record of known) {
    const one = decideOne(drain, record);
    if (accepts?.(one) === false) continue;
    listed.push(record);
    const { decided, candidate } = one;
    if (isLive && isNewlyExhausted(decided)) {
      exhausted.push(decided);
      continue;
    }
    const { then } = decided.decision;
    const isActedOn = candidate !== null || (then === "drop" && isLive);
    if (!isActedOn) final.push(decided);
    if (shouldUnpark(drain, record, isActedOn)) toUnpark.push(record.letter.dlqId);
    if (candidate !== null) candidates.push(candidate);
    else if (then === "drop") toDrop.push(decided);
    else if (then === "park") toPark.push(decided);
    else if (then === "settle" && !isSettledElsewhere(record, readAt)) doneBefore.push(record.letter.dlqId);
  }
  return { candidates, toDrop, toPark, exhausted, toUnpark, doneBefore, final, listed };
}

/** Decides one record. One that cannot be rebuilt or may not be published becomes a park. Changes nothing. */
export function decideOne({ config, source }: DecidingRuntime, record: KnownRecord): DecidedOne {
  const { decision, facts } = decideRecord(config, record, serviceNow(source));
  const decided: DecidedRecord = {
    raw: record.raw,
    letter: record.letter,
    reading: record.reading,
    failure: record.failure,
    view: record.view,
    viewedAt: record.viewedAt,
    mayBeForgotten: record.mayBeForgotten,
    isNewComeBack: record.isNewComeBack,
    attempt: facts.attempt,
    decision,
    facts,
  };
  if (decision.then !== "republish") return { decided, candidate: null };

  const prepared = prepare(decided, decision.set, {
    headerPrefix: source.headerPrefix,
    lineageKey: source.lineageKeys()[0],
    // The person who released it has seen its losses.
    onLoss: releasedBy(record.view) === "by-person" ? "republish" : config.onLoss,
    checkItem: source.checkItem,
    lane: config.lane,
    flowControl: config.flowControl,
    proofAddress: proofAddressOf(config.source),
    keepsCredentials: config.source.keepsCredentials,
  });
  if (prepared.kind === "candidate") return { decided, candidate: prepared.candidate };
  const parked = { then: "park", reason: prepared.reason, rule: decision.rule } as const;
  return { decided: { ...decided, decision: parked }, candidate: null };
}

/**
 * True for a record parked as vanished that is listed after all, because an earlier listing lagged. Also for
 * one parked by these very rules, if they decide otherwise by now. One parked under other rules is taken by
 * `begin` itself.
 */
function shouldUnpark({ config }: DrainRuntime, { view }: KnownRecord, isActedOn: boolean): boolean {
  if (view.state !== "parked") return false;
  return view.reason === "vanished" || (isActedOn && view.rulesHash === config.rulesHash);
}

/**
 * True if a second DELETE would find nothing: its worker deletes it just now, or did so after the page was read.
 * If that worker died, the sweep deletes after takeover. What is listed after its tombstone is deleted again.
 */
function isSettledElsewhere({ view }: KnownRecord, readAt: number): boolean {
  if (view.state === "gone") return view.at >= readAt;
  return (view.state === "published" || view.state === "archived") && view.isBeingDeleted;
}
