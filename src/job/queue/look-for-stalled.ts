import type { Queue, Worker } from "bullmq";
import type { Clock } from "../contracts/clock.ts";
import type { QueueConnection } from "./connection.ts";
import type { LockPolicy } from "./policy.ts";

/** The share of the time between two checks in which no other replica makes one. */
export const checkedByOthers = 0.8;

interface Looking {
  readonly toWorked: () => readonly { readonly queue: Queue; readonly worker: Pick<Worker, "backend"> }[];
  readonly connection: QueueConnection;
  readonly lock: LockPolicy;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
  readonly onError: (error: Error) => void;
}

/**
 * Instead of the library's own checks for stalled jobs, which cost an idle Redis seven commands each: while no job is
 * at work anywhere, one command shows that. It also brings back what nobody works: a job that a script gave out before
 * Redis refused the rest of it for a missing right. Ends with `stopped`.
 */
export async function keepLookingForStalled(looking: Looking): Promise<void> {
  const { lock, clock, stopped, onError } = looking;
  while (!stopped.aborted) {
    await lookForStalled(looking).catch(onError);
    // Never in step with a schedule, or each look would find its job at work.
    const waitMs = lock.stalledIntervalMs * (0.9 + clock.random() / 10);
    await clock.sleep(waitMs, stopped).catch(() => undefined);
  }
}

async function lookForStalled({ toWorked, connection }: Looking): Promise<void> {
  const worked = toWorked();
  const keys = worked.flatMap(({ queue }) => [queue.toKey("active"), queue.toKey("stalled")]);
  if (keys.length === 0 || connection.status !== "ready") return;
  if ((await connection.call("EXISTS", ...keys)) === 0) return;
  await Promise.all(worked.map(({ worker }) => worker.backend.moveStalledJobsToWait()));
}
