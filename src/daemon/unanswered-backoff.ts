import type { Clock } from "../ports/clock.ts";
import type { DrainConfig } from "../ports/drains.ts";
import type { DrainName } from "../ports/ids.ts";

const firstWaitMs = 30_000;
const maxWaitMs = 10 * 60_000;
/** A pass that meets no answers takes minutes to end. A failure so much later is another outage. */
const inARowWithinMs = 60 * 60_000;

/**
 * A drain's next tick after its source did not answer: after 30 s, 1, 2 … 10 min, by this process's clock.
 */
export interface UnansweredBackoff {
  /** Ms from now; null: not before its schedule, or a wait is running already. */
  next(drain: Pick<DrainConfig, "name" | "schedule">, clock: Pick<Clock, "monotonic">): number | null;
  answered(drain: DrainName): void;
}

export function createUnansweredBackoff(): UnansweredBackoff {
  const waits = new Map<DrainName, { readonly waitMs: number; readonly endsAt: number }>();
  return {
    next({ name, schedule }, clock) {
      const now = clock.monotonic();
      const last = waits.get(name);
      if (last !== undefined && last.endsAt > now) return null;
      const isInARow = last !== undefined && now - last.endsAt < inARowWithinMs;
      const waitMs = isInARow ? Math.min(last.waitMs * 2, maxWaitMs) : firstWaitMs;
      // Only the queue knows the next time of a cron pattern, which may be hours away.
      if (schedule.kind === "every" && schedule.everyMs <= waitMs) return null;
      waits.set(name, { waitMs, endsAt: now + waitMs });
      return waitMs;
    },
    answered: (drain) => void waits.delete(drain),
  };
}
