/** Answers of one clock may differ by this: whole seconds, the way, a correction of a clock. */
const agreeWithinMs = 60_000;
/** A difference up to this is common. A first answer that differs more is not believed alone. */
const plausibleMs = 10 * 60_000;
/** In a row. If every fourth answer is wrong in the same way, this happens once in a million answers. */
const answersToBelieve = 10;

/**
 * One service's clock, from many Date headers: one alone may come from a proxy, a cache or an error page. An answer
 * that contradicts the believed clock is believed only when ten in a row agree. Until then the earliest of all counts:
 * a record looks younger, so it is held for longer. A record that looks too old could be dropped.
 */
export function createServiceClock() {
  let believed: number | undefined;
  /** Answers since the last that agreed with the believed clock. */
  let doubtful: readonly number[] = [];

  const agrees = (offsetMs: number): boolean => {
    if (believed !== undefined) return Math.abs(offsetMs - believed) <= agreeWithinMs;
    return doubtful.length === 0 && Math.abs(offsetMs) <= plausibleMs;
  };
  const isBelieved = (offsetMs: number): boolean =>
    doubtful.length === answersToBelieve &&
    doubtful.every((other) => Math.abs(other - offsetMs) <= agreeWithinMs);

  return {
    note(offsetMs: number): void {
      if (!agrees(offsetMs)) {
        doubtful = [...doubtful, offsetMs].slice(-answersToBelieve);
        if (!isBelieved(offsetMs)) return;
      }
      believed = offsetMs;
      doubtful = [];
    },
    offsetMs(of: "careful" | "agreed" = "careful"): number | undefined {
      if (of === "agreed" || doubtful.length === 0) return believed;
      return Math.min(believed ?? 0, ...doubtful);
    },
  };
}
