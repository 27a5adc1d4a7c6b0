export type SweepRequest = ReturnType<typeof createSweepRequest>;

/** How soon this process wants its source swept again, ahead of the schedule. */
export function createSweepRequest() {
  let wishedMs: number | null = null;
  return {
    /** Requests a sweep within `ms`. The soonest request counts. */
    within(ms: number): void {
      wishedMs = Math.min(wishedMs ?? ms, ms);
    },
    /** Takes the request in ms; null: none. */
    take(): number | null {
      const taken = wishedMs;
      wishedMs = null;
      return taken;
    },
  };
}
