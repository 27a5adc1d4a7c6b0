import type { Clock } from "../ports/clock.ts";
import {
  besideProbeMs,
  inARowWithinMs,
  restAfterFailuresMs,
  type CallClass,
  type RestBook,
} from "../ports/rests.ts";

/** The reference for the script in redis-rest-book.ts: the rests of one process. */
export function createMemoryRestBook(clock: Pick<Clock, "now">): RestBook {
  const limitedUntil: Record<CallClass, number> = { dlq: 0, batch: 0 };
  let failures = 0;
  let failedAt = 0;
  let failingUntil = 0;
  let probeUntil = 0;
  return {
    ask(callClass, leaseMs) {
      const now = clock.now();
      const limitedMs = limitedUntil[callClass] - now;
      const failingMs = failingUntil - now;
      if (limitedMs > 0 && limitedMs >= failingMs) {
        return Promise.resolve({ why: "rate-limited", forMs: limitedMs });
      }
      if (failingMs > 0) return Promise.resolve({ why: "failing", forMs: failingMs });
      if (failingUntil === 0) return Promise.resolve("go");
      if (probeUntil > now) {
        return Promise.resolve({ why: "failing", forMs: Math.min(besideProbeMs, probeUntil - now) });
      }
      probeUntil = now + leaseMs;
      return Promise.resolve("probe");
    },
    limited(callClass, forMs) {
      limitedUntil[callClass] = Math.max(limitedUntil[callClass], clock.now() + forMs);
      return Promise.resolve();
    },
    failed(jitter) {
      const now = clock.now();
      // Calls that were under way when the rest began say nothing new.
      if (failingUntil > now) return Promise.resolve({ why: "failing", forMs: failingUntil - now });
      if (failingUntil === 0 && now - failedAt > inARowWithinMs) failures = 0;
      failures += 1;
      failedAt = now;
      const forMs = restAfterFailuresMs(failures, jitter);
      if (forMs === 0) return Promise.resolve(null);
      failingUntil = now + forMs;
      probeUntil = 0;
      return Promise.resolve({ why: "failing", forMs });
    },
    answered() {
      failures = 0;
      failingUntil = 0;
      probeUntil = 0;
      return Promise.resolve();
    },
    giveBack() {
      probeUntil = 0;
      return Promise.resolve();
    },
  };
}
