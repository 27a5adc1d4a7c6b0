/**
 * How long something may wait while nothing is broken, and what excuses more. What is broken is no excuse:
 * waits begin anew when nothing is broken any more.
 */
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import { postHorizonMs } from "../../src/job/contracts/ledger-limits.ts";
import { ledgerLimits, mostInLaneMs, times } from "./document.ts";

/** For the timers of a loaded machine, the calls of the sweep itself, and looking four times a second. */
export const slackMs = 6_000;

/** Guarantee 5, and the slack. */
export const stallLimitMs = times.takeoverAfter + times.sweepEvery + slackMs;

/** An excuse passes beside the takeover; after it comes the sweep. */
export interface Excuse {
  readonly why: string;
  /** Unix ms. */
  readonly until: number;
}

export interface Obstacles {
  /** Something is broken just now. */
  readonly isBroken: boolean;
  readonly excuses: readonly Excuse[];
}

/** How many calls per second list or delete, and when that was last so, Unix ms. */
export interface NamedLimit {
  readonly perSecond: number;
  readonly until: number;
}

/**
 * The limit that a 429 has named and that is kept to: for a minute after the last, which may be long after what it was
 * broken by. `rate` and `paced` as redis-call-shares.ts has them. Null: none, or little is asked for. The windows of
 * limits here are at most three seconds, so each is believed for a minute.
 */
export function limitOf(rate: string | null, paced: string | null, at: number): NamedLimit | null {
  const [calls, windowMs, , learnedAt] = (rate ?? "").split(" ").map(Number);
  if (paced === null || calls === undefined || windowMs === undefined || learnedAt === undefined) return null;
  return at - learnedAt > limitBelievedMs ? null : { perSecond: (1_000 * calls) / windowMs, until: at };
}
const limitBelievedMs = 60_000;

/**
 * What has waited since `since` until `at`, less what an excuse until `excusedUntil` leaves out; Unix ms.
 * More than `stallLimitMs` is too long.
 */
export function stallMsOf(since: number, at: number, excusedUntil: number): number {
  return Math.max(0, at - Math.max(since, excusedUntil - times.takeoverAfter));
}

/**
 * The soak looks four times a second, and asks Redis each time. Where it does not come to that for so long,
 * the machine did not answer the daemons either.
 */
const mostBetweenLooksMs = 2_000;
const heldUp = "the machine held up Redis or the soak itself";

/** Times in which nothing is broken, and how much of them is excused. */
export function createQuiet() {
  const spans: { readonly from: number; to: number }[] = [];
  const excusedMs = new Map<string, number>();
  let current: { readonly from: number; to: number } | null = null;
  let excusedUntil = 0;
  let limit: NamedLimit | null = null;
  const within = (from: number, to: number): number =>
    spans.reduce((sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)), 0);
  return {
    look(at: number, { isBroken, excuses }: Obstacles): void {
      for (const { until } of excuses) excusedUntil = Math.max(excusedUntil, until);
      if (isBroken) {
        current = null;
        return;
      }
      if (current === null) {
        spans.push((current = { from: at, to: at }));
        return;
      }
      const { to: before } = current;
      current.to = at;
      const isHeldUp = at - before > mostBetweenLooksMs;
      if (isHeldUp) excusedUntil = Math.max(excusedUntil, at);
      for (const { why, until } of isHeldUp ? [...excuses, { why: heldUp, until: at }] : excuses) {
        const ms = Math.max(0, Math.min(at, until) - before);
        if (ms > 0) excusedMs.set(why, (excusedMs.get(why) ?? 0) + ms);
      }
    },
    /** Begin of the present time of quiet, Unix ms; null: something is broken. */
    get since(): number | null {
      return current?.from ?? null;
    },
    limited(by: NamedLimit): void {
      limit = by;
    },
    /** The last one; null: there was none. */
    get limit(): NamedLimit | null {
      return limit;
    },
    /** The latest end of any excuse so far, Unix ms. */
    get excusedUntil(): number {
      return excusedUntil;
    },
    /** Ms so far. */
    get totalMs(): number {
      return within(0, Number.POSITIVE_INFINITY);
    },
    /** Ms so far, by excuse; two may be there at once. */
    excusedMs,
    /** Ms of it between two times, Unix ms. */
    within,
  };
}

/** Why it waits for a person, or for minutes; null: it does not. `at`: Unix ms. */
export function pauseOf(view: LedgerView | undefined, at: number): string | null {
  if (view?.state === "parked") return "parked";
  return view?.state === "cool" && view.dueAt > at + refusedForMs ? "refused, tried again in minutes" : null;
}

/** A refusal without a control cools for ten minutes; what was not sent, for seconds. */
const refusedForMs = 60_000;

export interface Wait {
  /**
   * The ledger has it as begun: that is what the promise is about. What is not waits for its turn in a pass.
   */
  readonly isBegun: boolean;
  /** Less what is excused. */
  readonly stallMs: number;
  /** Without which it would be too long; null: none, or there is none. */
  readonly excuse: string | null;
}

interface Waited {
  readonly from: number;
  readonly at: number;
  /** Of a drain with a lane. */
  readonly isTried?: boolean;
  readonly limit?: NamedLimit | null;
  /** How many that were begun have waited at once since nothing is broken. */
  readonly begun?: number;
}

/**
 * How long one has waited. Times in Unix ms. `excusedUntil`: the end of what excuses all. `others`:
 * how many have waited at once since nothing is broken.
 */
export function weighWait(
  view: LedgerView | undefined,
  { from, at, isTried = false, limit = null, begun = 0 }: Waited,
  excusedUntil: number,
  others: number,
): Wait {
  const begunAt = begunAtOf(view);
  const isBegun = begunAt !== null;
  const since = Math.max(from, begunAt ?? 0);
  const waitedMs = stallMsOf(since, at, excusedUntil);
  const own = isBegun ? excuseOf(view) : isTried ? inLane(since, others) : behindOthers(since, others);
  const limited = limit === null ? null : underLimit(view, since, limit, begun);
  const excuse = limited !== null && limited.until > (own?.until ?? 0) ? limited : own;
  if (excuse === null) return { isBegun, stallMs: waitedMs, excuse };
  return {
    isBegun,
    // Also where it has not waited too long yet, so that the longest stall that is shown is not what waits
    // for its excuse.
    stallMs: stallMsOf(since, at, Math.max(excusedUntil, excuse.until)),
    excuse: waitedMs > stallLimitMs ? excuse.why : null,
  };
}

/** Since when it is begun; null: it is not, and waits for a pass. */
export function begunAtOf(view: LedgerView | undefined): number | null {
  if (view?.state === "open") return view.series.firstAt;
  return view?.state === "published" || view?.state === "archived" ? view.at : null;
}

/** Why one that is begun may wait too long, by what the ledger says. */
function excuseOf(view: LedgerView | undefined): Excuse | null {
  if (view?.state !== "open") return null;
  const { series, lastAt } = view;
  // An answer that was lost, and another try that was refused: nothing proves either, and only the end of its
  // window helps, and where it was asked for shortly before that, the end of that worker's time.
  if (series.refusals > 0 && series.posts > series.refusals) {
    const until = Math.max(series.firstAt + postHorizonMs(ledgerLimits), lastAt + times.takeoverAfter);
    return { why: "in doubt after a refusal", until };
  }
  // A worker that was too slow for `sendBy` has withheld its batch, as one that was stopped does.
  return { why: "begun again", until: lastAt + times.takeoverAfter };
}

/**
 * What a pass has to list waits for all of its windows, each of which is a call at least. What is begun is asked for and
 * deleted by calls of its own, one after the other.
 */
function underLimit(
  view: LedgerView | undefined,
  from: number,
  { perSecond, until }: NamedLimit,
  begun: number,
): Excuse {
  const waitsForPass = begunAtOf(view) === null || isKnownByComeBack(view);
  const turnsMs = (begun * callsOfOne * 1_000) / perSecond;
  const ended = waitsForPass ? until : Math.min(until, from + times.takeoverAfter + turnsMs);
  return { why: "under a limit that a 429 named", until: ended };
}

/** A listing and a delete, and as many calls of passes between them. */
const callsOfOne = 4;

/** Nothing else is known of it, as Redis was lost: a pass that lists it deletes it. */
const isKnownByComeBack = (view: LedgerView | undefined): boolean =>
  view?.state === "published" && view.drain === null;

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
