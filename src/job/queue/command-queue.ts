import { Queue } from "bullmq";
import type { SourceId } from "../contracts/ids.ts";
import type { Job } from "../contracts/work-queue.ts";
import { withinRedis, type QueueConnection } from "./connection.ts";
import { toJobData } from "./job-data.ts";
import { callTimeoutMs, onceOptions } from "./policy.ts";
import { toQueueName, toQueuePrefix } from "../redis/key-prefix.ts";

/** The queue of scheduled jobs for one call of a command. It works nothing. The connection is the caller's. */
export function openShortQueue(connection: QueueConnection, keyPrefix: string): Queue {
  const queue = new Queue(toQueueName(keyPrefix, "short"), {
    connection,
    prefix: toQueuePrefix(keyPrefix),
    skipMetasUpdate: true,
  });
  // The call itself fails with what goes wrong.
  queue.on("error", () => undefined);
  return queue;
}

/**
 * Asks the daemons for a sweep of a source now: what a lane wants is then seen in a moment, and not at the end
 * of `sweep.every`. Fails with `redis-unavailable`.
 */
export async function requestSweep(
  connection: QueueConnection,
  keyPrefix: string,
  source: SourceId,
  now: number,
): Promise<void> {
  const job: Job = { kind: "sweep", source };
  const queue = openShortQueue(connection, keyPrefix);
  await withinRedis(connection, callTimeoutMs, "sweep", () =>
    queue.add(job.kind, toJobData(job), onceOptions(job.kind, source, now, now)),
  );
}
