import type { Clock } from "../ports/clock.ts";

/** 16 answers of 64 MiB: a search for a record that is too large takes some 15, most of them smaller. */
const burstBytes = 1_024 * 1_048_576;
/** One answer of 64 MiB in 10 s. */
const bytesPerMs = 64 * 1_048_576 * 1e-4;

/**
 * How much may be read in vain: answers that are larger than may be read are paid for with the bytes after
 * which they were given up. Small ones cost next to nothing. A service whose every answer is huge is asked
 * ever more rarely, so that it takes neither bandwidth nor time from others.
 */
export interface TooLargePace {
  /** How long no list may be asked for from now on, ms; 0: it may. */
  waitMs(): number;
  note(bytes: number): void;
}

export function createTooLargePace(clock: Pick<Clock, "monotonic">): TooLargePace {
  let left = burstBytes;
  let at = clock.monotonic();
  const refill = (): void => {
    const now = clock.monotonic();
    left = Math.min(burstBytes, left + Math.max(0, now - at) * bytesPerMs);
    at = now;
  };
  return {
    waitMs() {
      refill();
      return left > 0 ? 0 : Math.ceil((1 - left) / bytesPerMs);
    },
    note(bytes) {
      refill();
      left -= bytes;
    },
  };
}
