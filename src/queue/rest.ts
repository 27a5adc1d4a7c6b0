import type { Worker } from "bullmq";
import type { Clock } from "../ports/clock.ts";

/** Takes no job for a while. */
export interface Rest {
  /** From now on, for `ms`; of rests that overlap the longest holds. What runs already goes on. */
  begin(ms: number): void;
  /** For good: a worker that is being closed is not woken. */
  stop(): void;
}

export function createRest(
  worker: () => Pick<Worker, "pause" | "resume">,
  clock: Pick<Clock, "monotonic" | "sleep">,
): Rest {
  const stopped = new AbortController();
  let until = Number.NEGATIVE_INFINITY;
  let resting = false;

  async function rest(): Promise<void> {
    await worker().pause(true);
    for (let ms = until - clock.monotonic(); ms > 0; ms = until - clock.monotonic()) {
      await clock.sleep(ms, stopped.signal);
    }
    resting = false;
    await worker().resume();
  }

  return {
    begin(ms) {
      until = Math.max(until, clock.monotonic() + ms);
      if (resting || stopped.signal.aborted) return;
      resting = true;
      rest().catch(() => undefined);
    },
    stop: () => stopped.abort(),
  };
}
