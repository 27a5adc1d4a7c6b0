import type { Clock } from "../contracts/clock.ts";

/** A gateway answers 404 or 405 as well. So an endpoint outside the interface is asked for again after this. */
const askedAgainAfterMs = 10 * 60_000;

export function createAbsentEndpoint(clock: Pick<Clock, "monotonic">) {
  let until: number | null = null;
  return {
    isNow: (): boolean => until !== null && clock.monotonic() < until,
    /** True if that is news. */
    missed(): boolean {
      const isNews = until === null;
      until = clock.monotonic() + askedAgainAfterMs;
      return isNews;
    },
    found(): void {
      until = null;
    },
  };
}
