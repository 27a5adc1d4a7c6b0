import type { Worker } from "bullmq";
import type { Clock } from "../contracts/clock.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { QueueConnection } from "./connection.ts";

interface Closing {
  readonly workers: readonly Worker[];
  readonly queues: readonly { close(): Promise<void> }[];
  readonly connections: readonly QueueConnection[];
  readonly running: RunningJobs;
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * 1. Workers stop taking work. With Redis away this is `close(true)` from the start: a plain close would
 *    hang, and a later `close(true)` is given the same hanging promise.
 * 2. After softMs running handlers are aborted; those that end by it are handed back by the processor.
 * 3. When all handlers have ended, or at hardMs, every socket is cut. That also ends a close that hangs
 *    because Redis went away after step 1: the commands it waits for reject. Never rejects.
 */
export async function closeQueues(
  { workers, queues, connections, running, clock }: Closing,
  { softMs, hardMs }: { readonly softMs: number; readonly hardMs: number },
): Promise<void> {
  const ended = new AbortController();
  const stop = (): void => running.abortAll(new RedriverError("stopped", "the process is being shut down"));

  clock.sleep(softMs, ended.signal).then(stop, () => undefined);
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

export type RunningJobs = ReturnType<typeof createRunningJobs>;

/** The handlers that run in this process: a shutdown aborts and awaits them, whatever BullMQ and Redis do. */
export function createRunningJobs() {
  const running = new Map<AbortController, Promise<unknown>>();
  let stopped: { readonly reason: unknown } | null = null;

  return {
    /** Runs `work` with a signal of its own, which also aborts when `outer` does. */
    async run<Result>(
      outer: AbortSignal | undefined,
      work: (signal: AbortSignal) => Promise<Result>,
    ): Promise<Result> {
      const controller = new AbortController();
      if (stopped !== null) controller.abort(stopped.reason);
      const { signal } = controller;
      const result = work(outer === undefined ? signal : AbortSignal.any([signal, outer]));
      const ended = result.catch(() => undefined);
      running.set(controller, ended);
      try {
        return await result;
      } finally {
        running.delete(controller);
      }
    },
    stopping: () => stopped !== null,
    /** Aborts every running handler, and every one that starts later. */
    abortAll(reason: unknown): void {
      stopped ??= { reason };
      for (const controller of running.keys()) controller.abort(reason);
    },
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
