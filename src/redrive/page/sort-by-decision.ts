import type { DlqId } from "../../message/dead-letter.ts";
import { isNewlyExhausted } from "../lanes/admit.ts";
import type { DrainRuntime } from "../runtime.ts";
import { decideOne, type DecidedOne } from "./decide-and-prepare.ts";
import type { Candidate, DecidedRecord, KnownRecord } from "./records.ts";

/** The records of a page by what is to be done with each. */
export interface SortedPage {
  readonly candidates: readonly Candidate[];
  readonly toDrop: readonly DecidedRecord[];
  readonly toPark: readonly DecidedRecord[];
  /** Without attempts left. Their lanes decide whether they are parked. */
  readonly exhausted: readonly DecidedRecord[];
  /** Parked in the ledger, and no longer to be. */
  readonly toUnpark: readonly DlqId[];
  /** Published or archived before, and still listed. */
  readonly doneBefore: readonly DlqId[];
  /** Decided for good by now: everything but candidates, drops and `exhausted`. */
  readonly final: readonly DecidedRecord[];
  readonly listed: number;
}

/** Decides each record. `accepts`: a record that it refuses is left as it is, uncounted. Changes nothing. */
export function sortByDecision(
  drain: DrainRuntime,
  known: readonly KnownRecord[],
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
  let listed = 0;
  for (const record of known) {
    const one = decideOne(drain, record);
    if (accepts?.(one) === false) continue;
    listed += 1;
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
    else if (then === "settle") doneBefore.push(record.letter.dlqId);
  }
  return { candidates, toDrop, toPark, exhausted, toUnpark, doneBefore, final, listed };
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
