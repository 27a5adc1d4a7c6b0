import type { Clock } from "../contracts/clock.ts";
import type { Failure } from "../contracts/errors.ts";

/** At most one event per error code in this time while a worker keeps failing. */
/** While a worker keeps failing. */
const quietMs = 60_000;

/** Answers whether a failure may be reported now: of each code one in `quietMs`. */
export function createFailureThrottle(clock: Pick<Clock, "monotonic">): (code: Failure["code"]) => boolean {
  const reportedAt = new Map<string, number>();
  return (code) => {
    const now = clock.monotonic();
    const before = reportedAt.get(code);
    if (before !== undefined && now - before < quietMs) return false;
    reportedAt.set(code, now);
    return true;
  };
}
