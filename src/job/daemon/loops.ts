import type { Clock } from "../contracts/clock.ts";
import { toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";

const afterFailureMs = 5_000;

/**
 * Longer waits end on these ticks, so that loops wake an idle process together: waking costs more than a
 * turn.
 */
const tickMs = 1_000;
/** A timer may be early by a few ms. The wait after it may be longer by as much, or it would lose a whole tick. */
const earlyMs = 5;

interface LoopParts {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly events: Events;
  readonly stop: AbortSignal;
}

/** Calls `turn` until `stop` aborts; each answers ms until the next. Failures are reported, then retried. */
export function createLoops({ clock, events, stop }: LoopParts) {
  return async function keepGoing(turn: () => Promise<number>): Promise<void> {
    while (!stop.aborted) {
      let waitMs = afterFailureMs;
      try {
        waitMs = await turn();
      } catch (error) {
        events.emit({ type: "job:failed", kind: "daemon", ...toFailure(error), givenUp: false });
      }
      await clock.sleep(untilTick(clock.monotonic(), waitMs), stop).catch(() => undefined);
    }
  };
}

function untilTick(now: number, waitMs: number): number {
  if (waitMs < tickMs) return waitMs;
  const endsAt = Math.floor((now + waitMs + earlyMs) / tickMs) * tickMs;
  return Math.max(1, Math.ceil(endsAt - now));
}
