import { isPlausibleDelay } from "../message/plausible-dates.ts";
import { retryAfterOf } from "../message/retry-after.ts";
import type { RecordFacts } from "./record-facts.ts";

export interface Timing {
  /** A younger record is neither published nor dropped. */
  readonly minAgeMs: number;
  /** Age at which redrive n may be made; the last repeats; empty: no wait. */
  readonly waitMs: readonly number[];
}

export type Due =
  | { readonly due: true }
  | {
      readonly due: false;
      readonly reason: "too-young" | "waiting" | "retry-after" | "not-before";
      /** Unix ms from which all four are satisfied. */
      readonly until: number;
    }
  /** It says not to be delivered before a date that cannot be true. `until`: at the latest, if known. */
  | { readonly due: false; readonly reason: "implausible-date"; readonly until?: number };

/** Seconds by mistake would have passed long ago, so a `notBefore` that is ahead as seconds is held too. */
export function whenDeliverable({ letter, now }: RecordFacts): Due {
  const { notBefore = 0, enteredAt } = letter;
  const fromSeconds = notBefore * 1_000;
  if (notBefore <= now) {
    const isAhead = fromSeconds > now && isPlausibleDelay(fromSeconds, enteredAt);
    return isAhead ? { due: false, reason: "implausible-date", until: fromSeconds } : { due: true };
  }
  if (!isPlausibleDelay(notBefore, enteredAt)) return { due: false, reason: "implausible-date" };
  return { due: false, reason: "not-before", until: notBefore };
}

/**
 * Of several that delay it the longest is the reason, so that it and `until` belong together; of equals the
 * first.
 */
export function whenDue(facts: RecordFacts, timing: Timing): Due {
  const { letter, attempt, now } = facts;
  const waitMs = timing.waitMs[Math.min(attempt, timing.waitMs.length - 1)] ?? 0;
  let reason: "too-young" | "waiting" | "retry-after" = "too-young";
  let until = letter.enteredAt + timing.minAgeMs;
  if (letter.enteredAt + waitMs > until) {
    reason = "waiting";
    until = letter.enteredAt + waitMs;
  }
  const retryAfter = retryAfterOf(letter);
  if (retryAfter !== null && retryAfter > until) {
    reason = "retry-after";
    until = retryAfter;
  }
  const deliverable = whenDeliverable(facts);
  if (!deliverable.due && (deliverable.until ?? Infinity) > until) return deliverable;
  return now >= until ? { due: true } : { due: false, reason, until };
}
