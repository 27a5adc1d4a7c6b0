import { Queue } from "bullmq";
import { toConnectionOptions, withinRedis, type QueueConnection } from "./connection.ts";
import { toQueueName, toQueuePrefix } from "./names.ts";
import { callTimeoutMs } from "./policy.ts";

/**
 * When each schedule runs next, by its id, Unix ms; in the past while nobody works. Changes nothing in Redis. Fails with
 * `redis-unavailable`. The connection stays the caller's.
 */
export async function readNextRuns(
  connection: QueueConnection,
  keyPrefix: string,
): Promise<ReadonlyMap<string, number>> {
  const queue = new Queue(toQueueName(keyPrefix, "short"), {
    connection: toConnectionOptions(connection),
    prefix: toQueuePrefix(keyPrefix),
    skipMetasUpdate: true,
  });
  // What goes wrong is told by the call.
  queue.on("error", () => undefined);
  const schedulers = await withinRedis(connection, callTimeoutMs, "schedules", () =>
    queue.getJobSchedulers(),
  );
  return new Map(schedulers.flatMap(({ key, next }) => (next === undefined ? [] : [[key, next] as const])));
}
