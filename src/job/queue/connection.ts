import { RedriverError } from "../contracts/errors.ts";
import { withinMs } from "../../within-ms.ts";
import { toCallError } from "./translate-error.ts";

/**
 * `queue`: adds jobs and schedules; must fail fast while Redis is away. `worker`: must keep its commands until Redis is
 * back (`maxRetriesPerRequest: null`) and set a socketTimeout above the 5 s of a blocking read, never a commandTimeout.
 */
export type ConnectionRole = "queue" | "worker";

/** What the queue needs of a Redis client; an ioredis instance fits. Whoever calls `createConnection` owns the result. */
export interface QueueConnection {
  /** Redis TIME: seconds and microseconds. */
  time(): Promise<readonly (string | number)[]>;
  call(command: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** `ready` while commands are answered. */
  readonly status: string;
  on(event: "ready" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  disconnect(): void;
}

/**
 * Runs a call to Redis that must end: BullMQ itself waits for ever. Rejects with `redis-unavailable` at once
 * if the connection is not ready, after `timeoutMs` without an answer, or if Redis refuses. Rejects with
 * `redis-unsuitable` if only a person can change the refusal. The call may still take effect.
 */
export async function withinRedis<T>(
  connection: QueueConnection,
  timeoutMs: number,
  what: string,
  call: () => Promise<T>,
): Promise<T> {
  // `wait` is a lazy client before its first command; the call itself connects it.
  const toAway = (expected: string): RedriverError =>
    new RedriverError("redis-unavailable", `${what}: expected ${expected}`);
  const { status } = connection;
  if (status === "end" || status === "close" || status === "reconnecting") {
    throw toAway(`a ready connection to Redis, got ${status}`);
  }
  try {
    return await withinMs(call(), timeoutMs, () => toAway(`an answer within ${timeoutMs} ms, got none`));
  } catch (error) {
    throw toCallError(error, what);
  }
}
