import type { Worker } from "bullmq";
import type { Clock } from "../ports/clock.ts";

/** Takes no job for a while. */
export interface WorkerPause {
  /** From now on, for `ms`; of pauses that overlap the longest counts. What runs already goes on. */
  begin(ms: number): void;
  /** For good: a worker that is being closed is not woken. */
  stop(): void;
}

export function createWorkerPause(
  worker: () => Pick<Worker, "pause" | "resume">,
  clock: Pick<Clock, "monotonic" | "sleep">,
): WorkerPause {
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
    begin(ms) {
      until = Math.max(until, clock.monotonic() + ms);
      if (pausing || stopped.signal.aborted) return;
      pausing = true;
      pause().catch(() => undefined);
    },
    stop: () => stopped.abort(),
  };
}
