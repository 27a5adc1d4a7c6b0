/**
 * What the Date headers of one service say, taken together: a single one may come from a proxy, a cache or an
 * error page.
 */
export interface ServiceClock {
  /** The clock that an answer named, minus ours, in ms. */
  note(offsetMs: number): void;
  /**
   * The service's clock minus ours in ms, the earliest while answers contradict each other; undefined before
   * the first.
   */
  offsetMs(): number | undefined;
  /** What they agreed on last; undefined before they did. */
  agreedMs(): number | undefined;
}

/** How far answers of one clock may differ: whole seconds, the way, a clock set right meanwhile. */
const agreeWithinMs = 60_000;
/**
 * A clock that is off by this is nothing unusual; a first answer that differs by more from ours is not
 * believed alone.
 */
const plausibleMs = 10 * 60_000;
/** In a row. Where every fourth answer is wrong, and wrong alike, this happens once in a million answers. */
const answersToBelieve = 10;

/**
 * An answer that contradicts what is believed is believed only when ten in a row say the same. Until then the
 * earliest of all counts: a record looks younger, so it is held for longer. One that looks too old could be
 * dropped.
 */
export function createServiceClock(): ServiceClock {
  let believed: number | undefined;
  /** Those since the last that agreed with what is believed. */
  let doubtful: readonly number[] = [];

  const agrees = (offsetMs: number): boolean => {
    if (believed !== undefined) return Math.abs(offsetMs - believed) <= agreeWithinMs;
    return doubtful.length === 0 && Math.abs(offsetMs) <= plausibleMs;
  };
  const isBelieved = (offsetMs: number): boolean =>
    doubtful.length === answersToBelieve &&
    doubtful.every((other) => Math.abs(other - offsetMs) <= agreeWithinMs);

  return {
    note(offsetMs) {
      if (!agrees(offsetMs)) {
        doubtful = [...doubtful, offsetMs].slice(-answersToBelieve);
        if (!isBelieved(offsetMs)) return;
      }
      believed = offsetMs;
      doubtful = [];
    },
    agreedMs: () => believed,
    offsetMs: () => (doubtful.length === 0 ? believed : Math.min(believed ?? 0, ...doubtful)),
  };
}
