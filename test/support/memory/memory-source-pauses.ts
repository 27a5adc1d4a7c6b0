import type { Clock } from "../../../src/ports/clock.ts";
import {
  besideProbeMs,
  inARowWithinMs,
  probeLimitEveryMs,
  pauseAfterFailuresMs,
  type CallClass,
  type SourcePauseBook,
} from "../../../src/ports/source-pauses.ts";

/** The reference for the script in redis-source-pauses.ts: the pauses of one process. */
export function createMemorySourcePauseBook(clock: Pick<Clock, "now">): SourcePauseBook {
  /** `probeFrom`: the next probe may go; `leaseUntil`: one is under way. */
  const limits: Record<CallClass, { until: number; probeFrom: number; leaseUntil: number }> = {
    dlq: { until: 0, probeFrom: 0, leaseUntil: 0 },
    batch: { until: 0, probeFrom: 0, leaseUntil: 0 },
  };
  let failures = 0;
  let failedAt = 0;
  let failingUntil = 0;
  let probeUntil = 0;
  return {
    ask(callClass, leaseMs) {
      const now = clock.now();
      const limit = limits[callClass];
      const limitedMs = limit.until - now;
      const failingMs = failingUntil - now;
      if (limitedMs > 0 && limitedMs >= failingMs) {
        const leaseLeftMs = limit.leaseUntil - now;
        const untilProbeMs = leaseLeftMs > 0 ? Math.min(besideProbeMs, leaseLeftMs) : limit.probeFrom - now;
        if (untilProbeMs > 0) {
          return Promise.resolve({ why: "rate-limited", forMs: Math.min(limitedMs, untilProbeMs) });
        }
        limit.leaseUntil = now + leaseMs;
        return Promise.resolve("limit-probe");
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
      const now = clock.now();
      const until = Math.max(limits[callClass].until, now + forMs);
      limits[callClass] = { until, probeFrom: now + probeLimitEveryMs, leaseUntil: 0 };
      return Promise.resolve();
    },
    failed(jitter) {
      const now = clock.now();
      // Calls that were under way when the rest began say nothing new.
      if (failingUntil > now) return Promise.resolve({ why: "failing", forMs: failingUntil - now });
      if (failingUntil === 0 && now - failedAt > inARowWithinMs) failures = 0;
      failures += 1;
      failedAt = now;
      const forMs = pauseAfterFailuresMs(failures, jitter);
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
    lifted(callClass) {
      limits[callClass] = { until: 0, probeFrom: 0, leaseUntil: 0 };
      return Promise.resolve();
    },
    giveBack(callClass) {
      probeUntil = 0;
      limits[callClass].leaseUntil = 0;
      return Promise.resolve();
    },
  };
}
