/**
 * How many tries may follow failed ones: so many in a burst, and then one for every few calls that were answered. Without it a
 * service that half fails would be called several times as often as one that is well.
 */
export interface RetryBudget {
  /** Takes one try; false when none is left. */
  take(): boolean;
  /** A call was answered. */
  earn(): void;
}

const burst = 20;
const perAnswer = 0.2;

export function createRetryBudget(): RetryBudget {
  let left = burst;
  return {
    take() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    earn() {
      left = Math.min(burst, left + perAnswer);
    },
  };
}
