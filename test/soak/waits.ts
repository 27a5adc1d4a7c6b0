/**
 * How long something may wait while nothing is broken, and what excuses more. What is broken is no excuse: waits begin anew when it is
 * mended.
 */
import { times } from "./document.ts";

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

/** What has waited since `since` until `at`, less what an excuse until `excusedUntil` leaves out; Unix ms. More than `stallLimitMs` is too long. */
export function stallMsOf(since: number, at: number, excusedUntil: number): number {
  return Math.max(0, at - Math.max(since, excusedUntil - times.takeoverAfter));
}

/**
 * The soak looks four times a second, and asks Redis each time. Where it does not come to that for so long, the machine did not answer the daemons
 * either.
 */
const mostBetweenLooksMs = 2_000;
const heldUp = "the machine held up Redis or the soak itself";

/** Times in which nothing is broken, and how much of them is excused. */
export interface Quiet {
  look(at: number, obstacles: Obstacles): void;
  /** Begin of the present time of quiet, Unix ms; null: something is broken. */
  readonly since: number | null;
  /** The latest end of any excuse so far, Unix ms. */
  readonly excusedUntil: number;
  /** Ms so far. */
  readonly totalMs: number;
  /** Ms so far, by excuse; two may be there at once. */
  readonly excusedMs: ReadonlyMap<string, number>;
  /** Ms of it between two times, Unix ms. */
  within(from: number, to: number): number;
}

export function createQuiet(): Quiet {
  const spans: { readonly from: number; to: number }[] = [];
  const excusedMs = new Map<string, number>();
  let current: { readonly from: number; to: number } | null = null;
  let excusedUntil = 0;
  const within = (from: number, to: number): number =>
    spans.reduce((sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)), 0);
  return {
    look(at, { isBroken, excuses }) {
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
    get since() {
      return current?.from ?? null;
    },
    get excusedUntil() {
      return excusedUntil;
    },
    get totalMs() {
      return within(0, Number.POSITIVE_INFINITY);
    },
    excusedMs,
    within,
  };
}
