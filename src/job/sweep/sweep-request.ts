export function createSweepRequest() {
  let wishedMs: number | null = null;
  return {
    within(ms: number): void {
      wishedMs = Math.min(wishedMs ?? ms, ms);
    },
    take(): number | null {
      const taken = wishedMs;
      wishedMs = null;
      return taken;
    },
  };
}
