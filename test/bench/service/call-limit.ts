/** A limit of DLQ calls in fixed windows of a second. */
export function createCallLimit(perSecond: number) {
  let second = 0;
  let used = 0;
  return {
    /** Counts a call. Null, or the headers of its 429. */
    refuse(): Readonly<Record<string, string>> | null {
      const now = Math.floor(Date.now() / 1_000);
      if (now !== second) {
        second = now;
        used = 0;
      }
      used += 1;
      if (used <= perSecond) return null;
      return {
        "Burst-RateLimit-Limit": String(perSecond),
        "Burst-RateLimit-Remaining": "0",
        "Burst-RateLimit-Reset": String(second + 1),
      };
    },
  };
}
