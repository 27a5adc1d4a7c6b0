import { BoundedMap } from "../../bounded-map.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DateRange } from "./date-range.ts";

const rememberedMs = 3_600_000;
/** Forgetting one costs a search of some forty small listings, so the memory is bounded. */
const maxRemembered = 1_000;

/**
 * The moments of records too large to be listed, as this process met them, for an hour after the last time. They only decide where
 * a listing is cut into parts, so an outdated one costs two calls and hides nothing.
 */
export interface TooLargeDates {
  /** The moments within a range, in order. */
  within(range: DateRange): readonly number[];
  note(at: number): void;
}

export function createTooLargeDates(clock: Pick<Clock, "monotonic">): TooLargeDates {
  const until = new BoundedMap<number, number>(maxRemembered);
  return {
    within({ fromDate = 0, toDate = Infinity }) {
      const now = clock.monotonic();
      for (const [at, end] of until) if (end <= now) until.delete(at);
      return [...until.keys()]
        .filter((at) => at >= fromDate && at <= toDate)
        .toSorted((one, other) => one - other);
    },
    note: (at) => void until.set(at, clock.monotonic() + rememberedMs),
  };
}
