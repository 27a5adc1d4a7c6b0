/** How soon this process wants its source swept again, where that is not left to the schedule. */
export interface SweepRequest {
  /** The soonest wish stands until it is taken. */
  within(ms: number): void;
  /** How soon, ms; null: as scheduled. */
  take(): number | null;
}

export function createSweepRequest(): SweepRequest {
  let wishedMs: number | null = null;
  return {
    within(ms) {
      wishedMs = Math.min(wishedMs ?? ms, ms);
    },
    take() {
      const taken = wishedMs;
      wishedMs = null;
      return taken;
    },
  };
}
