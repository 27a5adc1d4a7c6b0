import type { FailureQuiet } from "../../job/contracts/failures.ts";

/** What a quiet depends on, as it is now. */
export interface FailureNow {
  /** Arrivals in the hour with most of them. */
  readonly largestHour: number;
  /** What its rules do, by counts. */
  readonly ruled: Readonly<Record<string, number>>;
}

/** Why a person's order to be quiet about a kind is over; null: it is not. */
export type QuietEnd = "time" | "arrivals" | "rules" | null;

/** A kind that is quiet until it changes speaks again above this many times its fullest hour. */
const changedAbove = 2;

/** Pure. `now`: Unix ms. */
export function quietEnd(quiet: FailureQuiet, { largestHour, ruled }: FailureNow, now: number): QuietEnd {
  if (quiet.until !== "changed") return now < quiet.until ? null : "time";
  if (largestHour > changedAbove * quiet.largestHour) return "arrivals";
  // None was known if the order came before the first pass had decided any.
  const isRuledAnew =
    quiet.ruled.length > 0 && Object.keys(ruled).some((rule) => !quiet.ruled.includes(rule));
  return isRuledAnew ? "rules" : null;
}
