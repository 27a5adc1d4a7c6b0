import type { LedgerView } from "../../src/ports/ledger-entries.ts";
import { postHorizonMs } from "../../src/ports/ledger-limits.ts";
import { ledgerLimits, mostInLaneMs, times } from "./document.ts";
import { stallLimitMs, stallMsOf, type Excuse } from "./waits.ts";

/** Why it waits for a person, or for minutes; null: it does not. `at`: Unix ms. */
export function restOf(view: LedgerView | undefined, at: number): string | null {
  if (view?.state === "parked") return "parked";
  return view?.state === "cool" && view.dueAt > at + refusedForMs ? "refused, tried again in minutes" : null;
}

/** A refusal without a control cools for ten minutes; what was not sent, for seconds. */
const refusedForMs = 60_000;

export interface Wait {
  /** The ledger has it as begun: that is what the promise is about. What is not waits for its turn in a pass. */
  readonly isBegun: boolean;
  /** Less what is excused. */
  readonly stallMs: number;
  /** Without which it would be too long; null: none, or there is none. */
  readonly excuse: string | null;
}

/**
 * How long one has waited, `from` and `at` in Unix ms. `excusedUntil`: the end of what excuses all. `others`: how many have waited at once since
 * nothing is broken. `isTried`: of a drain with a lane.
 */
export function weighWait(
  view: LedgerView | undefined,
  { from, at, isTried = false }: { readonly from: number; readonly at: number; readonly isTried?: boolean },
  excusedUntil: number,
  others: number,
): Wait {
  const begunAt = begunAtOf(view);
  const isBegun = begunAt !== null;
  const since = Math.max(from, begunAt ?? 0);
  const waitedMs = stallMsOf(since, at, excusedUntil);
  const excuse = isBegun ? excuseOf(view) : isTried ? inLane(since, others) : behindOthers(since, others);
  if (excuse === null) return { isBegun, stallMs: waitedMs, excuse };
  return {
    isBegun,
    // Also where it has not waited too long yet, so that the longest stall that is told is not what waits for its excuse.
    stallMs: stallMsOf(since, at, Math.max(excusedUntil, excuse.until)),
    excuse: waitedMs > stallLimitMs ? excuse.why : null,
  };
}

/** Since when it is begun; null: it is not, and waits for a pass. */
function begunAtOf(view: LedgerView | undefined): number | null {
  if (view?.state === "open") return view.series.firstAt;
  return view?.state === "published" || view?.state === "archived" ? view.at : null;
}

/** Why one that is begun may wait too long, by what the ledger says. */
function excuseOf(view: LedgerView | undefined): Excuse | null {
  if (view?.state !== "open") return null;
  const { series, lastAt } = view;
  // An answer that was lost, and another try that was refused: nothing proves either, and only the end of its window helps,
  // and where it was asked for shortly before that, the end of that worker's time.
  if (series.refusals > 0 && series.posts > series.refusals) {
    const until = Math.max(series.firstAt + postHorizonMs(ledgerLimits), lastAt + times.takeoverAfter);
    return { why: "in doubt after a refusal", until };
  }
  // A worker that was too slow for `sendBy` has withheld its batch, as one that was stopped does.
  return { why: "begun again", until: lastAt + times.takeoverAfter };
}

/** What is not begun waits for its turn in a pass; the promise is about what is begun. */
function behindOthers(from: number, others: number): Excuse {
  return { why: "behind others", until: from + times.takeoverAfter + others * turnMs };
}

/** And before that for the steps of its lane. */
function inLane(from: number, others: number): Excuse {
  return { why: "in a lane", until: behindOthers(from, others).until + mostInLaneMs };
}

/** Of one dead letter where all daemons share a loaded machine with the service and Redis: 20 a second. */
const turnMs = 50;
