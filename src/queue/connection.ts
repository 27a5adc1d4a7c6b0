import type { ConnectionOptions } from "bullmq";
import { RedriverError } from "../ports/errors.ts";
import { toCallError } from "./translate-error.ts";
import type { QueueKind } from "./job-end.ts";

/**
 * `queue`: adds jobs and schedules; must fail fast while Redis is away. `worker`: must keep its commands
 * until Redis is back (`maxRetriesPerRequest: null`) and set a socketTimeout above the 5 s of a blocking
 * read, never a commandTimeout.
 */
export type ConnectionRole = "queue" | "worker";

/**
 * What the queue needs of a Redis client; an ioredis instance fits. Whoever calls `createConnection` owns the
 * result.
 */
export interface QueueConnection {
  /** Redis TIME: seconds and microseconds. */
  time(): Promise<readonly (string | number)[]>;
  /** `ready` while commands are answered. */
  readonly status: string;
  on(event: "ready" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "ready" | "close", listener: () => void): unknown;
  /** Ends the socket at once; pending commands reject. */
  disconnect(): void;
}

/** BullMQ takes any client with the methods of ioredis. */
export function toConnectionOptions(connection: QueueConnection): ConnectionOptions {
  return connection;
}

/**
 * Runs a call to Redis that must end. Rejects with `redis-unavailable`: at once when the connection is not
 * ready, after `timeoutMs` when no answer comes (BullMQ itself waits for ever), or when Redis refuses; with
 * `redis-unsuitable` where it refuses what only a person can change. The call may still take effect.
 */
export async function withinRedis<T>(
  connection: QueueConnection,
  timeoutMs: number,
  what: string,
  call: () => Promise<T>,
): Promise<T> {
  // `wait` is a lazy client before its first command; the call itself connects it.
  if (connection.status === "end" || connection.status === "close" || connection.status === "reconnecting") {
    throw new RedriverError(
      "redis-unavailable",
      `${what}: expected a ready connection to Redis, got ${connection.status}`,
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new RedriverError(
          "redis-unavailable",
          `${what}: expected an answer within ${timeoutMs} ms, got none`,
        ),
      );
    }, timeoutMs);
  });
  try {
    return await Promise.race([call(), late]);
  } catch (error) {
    throw toCallError(error, what);
  } finally {
    clearTimeout(timer);
  }
}

/** The hash tag keeps all keys of the queues in one slot of a cluster. */
export function toQueuePrefix(keyPrefix: string): string {
  return `{${keyPrefix}}`;
}

export function toQueueName(keyPrefix: string, kind: QueueKind): string {
  return `${keyPrefix}-v1-${kind}`;
}
