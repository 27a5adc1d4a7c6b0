import type { Clock } from "../../src/job/contracts/clock.ts";

export interface ManualClock extends Clock {
  /** Moves time on and ends the sleeps that are over by then. */
  advance(ms: number): void;
  /** Sleeps that have not ended. */
  pending(): number;
  /** When the first of them ends; null: nobody sleeps. */
  nextAt(): number | null;
}

/** A clock that stands still until the test moves it. */
export function createManualClock(startAt = 1_700_000_000_000): ManualClock {
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  let now = startAt;
  return {
    now: () => now,
    monotonic: () => now,
    random: () => 0.5,
    pending: () => sleepers.size,
    nextAt: () => (sleepers.size === 0 ? null : Math.min(...[...sleepers].map(({ at }) => at))),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
          return;
        }
        const leave = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper = {
          at: now + ms,
          wake: () => {
            signal?.removeEventListener("abort", leave);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", leave, { once: true });
      }),
    advance(ms) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
