import type { Queue, Worker } from "bullmq";
import type { Clock } from "../contracts/clock.ts";
import type { QueueConnection } from "./connection.ts";

/** A worker, its queue, and the ids of the jobs that it has in hand. */
export interface WorkedQueue {
  readonly queue: Queue;
  readonly worker: Pick<Worker, "id" | "backend">;
  readonly inHand: ReadonlySet<string>;
}

const lookEveryMs = 1_000;
/** Longer than a worker waits before it calls again, and than a job is on its way to its handler. */
const quietForMs = 5_000;
const onItsWayMs = 1_500;

/**
 * A script that Redis refuses half way for a missing right may have given a job out. Nobody works it, and the
 * check for stalled jobs would find it after 30 to 60 s. So from a refusal until some seconds after the last
 * one, jobs that nobody has in hand are put back.
 */
export function createTakeBack(
  queues: () => readonly WorkedQueue[],
  connection: QueueConnection,
  clock: Pick<Clock, "now" | "monotonic" | "sleep">,
  stop: AbortSignal,
) {
  let deniedAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (clock.monotonic() - deniedAt < quietForMs && !stop.aborted) {
      await clock.sleep(lookEveryMs, stop);
      for (const one of queues()) await takeBack(one, connection, clock.now()).catch(() => undefined);
    }
  }

  return {
    denied(): void {
      deniedAt = clock.monotonic();
      if (isLooking) return;
      look()
        .catch(() => undefined)
        .finally(() => (isLooking = false));
    },
  };
}

/** Such a job has no lock, or one of this worker. */
async function takeBack(
  { queue, worker, inHand }: WorkedQueue,
  connection: QueueConnection,
  now: number,
): Promise<void> {
  for (const id of await queue.getRanges(["active"], 0, -1)) {
    if (inHand.has(id)) continue;
    const held = await connection.call("GET", `${queue.toKey(id)}:lock`);
    // "0" is BullMQ's word for a job without a lock.
    const lock = typeof held === "string" ? held : "0";
    if (lock !== "0" && !lock.startsWith(worker.id)) continue;
    const job = await queue.getJob(id);
    if (job === undefined || now - (job.processedOn ?? 0) < onItsWayMs) continue;
    await job.moveToWait(lock);
  }
  // As BullMQ wakes a worker. After a refusal it may wait for up to 30 s.
  await connection.call("ZADD", queue.toKey("marker"), 0, "0");
}
