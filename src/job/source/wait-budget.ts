import { isRedriverError } from "../contracts/errors.ts";
import { sleptFully, type Clock } from "../contracts/clock.ts";

export interface WaitBudget {
  leftMs: number;
  readonly signal: AbortSignal;
}

/** A pause may be over by our clock and not by Redis's. Asking again after this costs little. */
const minWaitMs = 50;
/** Spreads calls that were rejected together. Listings of passes come later (list-page.ts). */
const maxJitterMs = 100;

/** Makes a call again after a pause, before the next listing of a pass takes the calls that settle its records. */
export async function waitWithinBudget<Value>(
  clock: Pick<Clock, "now" | "random" | "sleep">,
  waits: WaitBudget,
  call: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isRedriverError(error) || error.disposition !== "wait" || waits.signal.aborted) throw error;
      const pauseMs = Math.max(minWaitMs, (error.retryAt ?? Infinity) - clock.now());
      const waitMs = pauseMs + clock.random() * maxJitterMs;
      if (waitMs > waits.leftMs) throw error;
      waits.leftMs -= waitMs;
      if (!(await sleptFully(clock, waitMs, waits.signal))) throw error;
    }
  }
}
