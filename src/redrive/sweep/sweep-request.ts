/** How soon this process wants its source swept again, ahead of the schedule. */
export interface SweepRequest {
  /** Requests a sweep within `ms`. The soonest request counts. */
  within(ms: number): void;
  /** Takes the request in ms; null: none. */
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
