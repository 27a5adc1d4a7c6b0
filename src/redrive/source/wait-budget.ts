import { isRedriverError } from "../../ports/errors.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * How long calls may still wait for pauses that the service asked for, all together; `signal` ends a wait.
 */
export interface WaitBudget {
  leftMs: number;
  readonly signal: AbortSignal;
}

/** A rest that is over by our clock and not by Redis's is asked for again so often that it costs nothing. */
const minWaitMs = 50;
/**
 * So that calls that were turned away together do not come back together. Listings of passes come later:
 * list-patiently.ts.
 */
const mostJitterMs = 100;

/**
 * Makes a call again when a pause is over, while the waits last; then throws what asked for the pause. What
 * may wait like this comes before the next listing of a pass, or under a rate limit listing would take the
 * calls that settle what it has found.
 */
export async function waitWithinBudget<Value>(
  { now, random, sleep }: Pick<Clock, "now" | "random" | "sleep">,
  waits: WaitBudget,
  call: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isRedriverError(error) || error.disposition !== "wait" || waits.signal.aborted) throw error;
      const pauseMs = Math.max(minWaitMs, (error.retryAt ?? Infinity) - now());
      const waitMs = pauseMs + random() * mostJitterMs;
      if (waitMs > waits.leftMs) throw error;
      waits.leftMs -= waitMs;
      try {
        await sleep(waitMs, waits.signal);
      } catch {
        throw error;
      }
    }
  }
}
