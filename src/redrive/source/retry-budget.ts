/**
 * How many tries may follow failed ones: so many in a burst, and then one for every few calls that were answered. Without it a
 * service that half fails would be called several times as often as one that is well.
 *
 * Not part of this contract: that a service which answers nothing is left alone (resting-service.ts). Then nothing is earned,
 * and what is called for the first time is what earns again.
 */
export interface RetryBudget {
  /** Takes one try; false when none is left. */
  take(): boolean;
  /** A call was answered. */
  earn(): void;
}

const burst = 20;
const answersPerTry = 5;

export function createRetryBudget(): RetryBudget {
  // Counted in answers: a fifth of a try has no exact number.
  let left = burst * answersPerTry;
  return {
    take() {
      if (left < answersPerTry) return false;
      left -= answersPerTry;
      return true;
    },
    earn() {
      left = Math.min(burst * answersPerTry, left + 1);
    },
  };
}
