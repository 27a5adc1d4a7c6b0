import type { Worker } from "bullmq";
import type { Clock } from "../contracts/clock.ts";

export type WorkerPause = ReturnType<typeof createWorkerPause>;

export function createWorkerPause(
  worker: () => Pick<Worker, "pause" | "resume">,
  clock: Pick<Clock, "monotonic" | "sleep">,
) {
  const stopped = new AbortController();
  let until = Number.NEGATIVE_INFINITY;
  let pausing = false;

  async function pause(): Promise<void> {
    await worker().pause(true);
    for (let ms = until - clock.monotonic(); ms > 0; ms = until - clock.monotonic()) {
      await clock.sleep(ms, stopped.signal);
    }
    pausing = false;
    await worker().resume();
  }

  return {
    /** From now on, for `ms`; of pauses that overlap the longest counts. What runs already goes on. */
    begin(ms: number): void {
      until = Math.max(until, clock.monotonic() + ms);
      if (pausing || stopped.signal.aborted) return;
      pausing = true;
      pause().catch(() => undefined);
    },
    /** For good: a worker that is being closed is not woken. */
    stop: () => stopped.abort(),
  };
}
