const burst = 20;
const answersPerTry = 5;

export type RetryBudget = ReturnType<typeof createRetryBudget>;

/** A burst, then one for every few answers: a half failing service would get several times the calls. */
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
