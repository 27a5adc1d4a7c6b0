import type { Clock } from "../contracts/clock.ts";

/** 16 answers of 64 MiB: a search for a record that is too large takes some 15, most of them smaller. */
const burstBytes = 1_024 * 1_048_576;
/** One answer of 64 MiB in 10 s. */
const bytesPerMs = 64 * 1_048_576 * 1e-4;

/**
 * Limits the bytes read in vain. An answer larger than allowed is paid for with the bytes read before it was
 * given up. Small ones cost next to nothing. A service that only gives huge answers is asked ever more
 * rarely, so that it takes neither bandwidth nor time from others.
 */
export function createTooLargePace(clock: Pick<Clock, "monotonic">) {
  let left = burstBytes;
  let at = clock.monotonic();
  const refill = (): void => {
    const now = clock.monotonic();
    left = Math.min(burstBytes, left + Math.max(0, now - at) * bytesPerMs);
    at = now;
  };
  return {
    waitMs(): number {
      refill();
      return left > 0 ? 0 : Math.ceil((1 - left) / bytesPerMs);
    },
    note(bytes: number): void {
      refill();
      left -= bytes;
    },
  };
}
