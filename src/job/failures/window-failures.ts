import { FailureTally } from "./count-failures.ts";

/** What a window has counted by kind of failure: pages that have ended, and those that are worked now. */
export function createWindowFailures() {
  const ended = new FailureTally();
  const inFlight = new Set<FailureTally>();
  return {
    /** Of one page. Also one that failed ends: what it did stays counted. */
    ofPage() {
      const tally = new FailureTally(ended.shared);
      inFlight.add(tally);
      return {
        tally,
        ended(): void {
          if (inFlight.delete(tally)) ended.merge(tally);
        },
      };
    },
    ended,
    sum(): FailureTally {
      const sum = new FailureTally();
      for (const one of [ended, ...inFlight]) sum.merge(one);
      return sum;
    },
  };
}
