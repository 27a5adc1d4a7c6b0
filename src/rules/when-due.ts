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
      readonly reason: "too-young" | "waiting" | "retry-after";
      /** Unix ms from which all three are satisfied. */
      readonly until: number;
    };

/**
 * True if a record may be republished now: its age in the DLQ is at least minAge and wait[attempt], and the
 * receiver's Retry-After has passed. If several delay it, the longest one is the reason, so that reason and
 * `until` belong together; of equals the first.
 */
export function whenDue(facts: RecordFacts, timing: Timing): Due {
  const { letter, attempt, now } = facts;
  const waitMs = timing.waitMs[Math.min(attempt, timing.waitMs.length - 1)] ?? 0;
  let reason: Extract<Due, { due: false }>["reason"] = "too-young";
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
  return now >= until ? { due: true } : { due: false, reason, until };
}
