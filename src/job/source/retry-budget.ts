const burst = 20;
const answersPerTry = 5;

export type RetryBudget = ReturnType<typeof createRetryBudget>;

/**
 * Limits repeated tries: some in a burst, then one for every few answered calls. Without it a half failing
 * service would get several times the calls of a healthy one.
 *
 * Not part of this contract: the pause of a service that answers nothing (pausing-service.ts). During it
 * nothing is earned; first calls earn again afterwards.
 */
export function createRetryBudget() {
  // Counted in answers: a fifth of a try has no exact number.
  let left = burst * answersPerTry;
  return {
    take(): boolean {
      if (left < answersPerTry) return false;
      left -= answersPerTry;
      return true;
    },
    earn(): void {
      left = Math.min(burst * answersPerTry, left + 1);
    },
  };
}
