import type { Queue, Worker } from "bullmq";
import type { Clock } from "../ports/clock.ts";
import { RedriverError } from "../ports/errors.ts";
import type { QueueConnection } from "./connection.ts";
import type { RunningJobs } from "./running-jobs.ts";

interface Closing {
  readonly workers: readonly Worker[];
  readonly queues: readonly Pick<Queue, "close">[];
  readonly connections: readonly QueueConnection[];
  readonly running: RunningJobs;
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * 1. Workers stop taking work. With Redis away this is `close(true)` from the start: a plain close would hang, and a later
 *    `close(true)` is given the same hanging promise.
 * 2. After softMs running handlers are aborted; those that end by it are handed back by the processor.
 * 3. When all handlers have ended, or at hardMs, every socket is cut. That also ends a close that hangs because Redis went
 *    away after step 1: the commands it waits for reject.
 * Never rejects.
 */
export async function closeQueues(
  { workers, queues, connections, running, clock }: Closing,
  { softMs, hardMs }: { readonly softMs: number; readonly hardMs: number },
): Promise<void> {
  const ended = new AbortController();
  const stop = (): void => running.abortAll(new RedriverError("stopped", "the process is being shut down"));

  async function stopAfter(ms: number): Promise<void> {
    await clock.sleep(ms, ended.signal);
    stop();
  }
  stopAfter(softMs).catch(() => undefined);
  await Promise.race([drain(), clock.sleep(hardMs, ended.signal)]);
  ended.abort();
  stop();
  for (const connection of connections) connection.disconnect();

  async function drain(): Promise<void> {
    const away = connections.some(({ status }) => status !== "ready");
    await Promise.allSettled(workers.map((worker) => worker.close(away)));
    await running.settled();
    await Promise.allSettled(queues.map((queue) => queue.close()));
  }
}
