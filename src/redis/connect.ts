import { Redis, type RedisOptions } from "ioredis";
import type { RedriverError } from "../ports/errors.ts";
import { defaultKeyPrefix } from "./key-names.ts";
import { createScriptRunner, type ScriptRunner } from "./script-runner.ts";
import { toRedisError } from "./translate-error.ts";

/**
 * A connection for commands and scripts. Promises: a call ends within 2 s, also while Redis is away; it reconnects by
 * itself for ever; close never hangs. Fails with `redis-unavailable` or `redis-unsuitable`.
 * Not part of this contract: blocking commands, subscriptions, transactions, Redis Cluster redirects.
 */
export interface RedisConnection extends ScriptRunner {
  /** Host and port, without user and password; for messages. */
  readonly address: string;
  /** First part of every key; see key-names.ts. */
  readonly keyPrefix: string;
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  isReady(): boolean;
  /** Resolves when the connection is ready; `redis-unavailable` after `timeoutMs`, and it goes on trying. */
  ready(timeoutMs: number): Promise<void>;
  /** Says goodbye for at most 500 ms, then drops the socket. */
  close(): Promise<void>;
}

export interface RedisSettings {
  /** What the connection is for; its name in CLIENT LIST is `redriver-<role>`. */
  readonly role: string;
  readonly keyPrefix?: string;
  /** Told when the connection is lost and when it is ready, once per change. */
  readonly onState?: (state: "ready" | "lost", message: string) => void;
}

const commandTimeoutMs = 2_000;
const goodbyeMs = 500;

/** `redis://` or `rediss://` (TLS), with user, password and database number as usual. Connects at once, in the background. */
export function createRedis(url: string, settings: RedisSettings): RedisConnection {
  const address = toAddress(url);
  const client = new Redis(url, {
    ...sharedOptions(settings.role),
    // Fails at once while there is no connection, instead of queueing work that nobody waits for any more.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: commandTimeoutMs,
    // A half-open socket is dropped after this; longer than commandTimeout, so that one slow script does not reconnect.
    socketTimeout: 2 * commandTimeoutMs,
  });
  let lastError: unknown = new Error("not connected yet");
  watchState(client, (state, error) => {
    if (error !== undefined) lastError = error;
    settings.onState?.(state, state === "ready" ? "" : toRedisError(lastError, address, "connect").message);
  });
  client.on("error", (error: unknown) => {
    lastError = error;
  });

  const command = async (name: string, ...args: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await client.call(name, ...args);
    } catch (error) {
      throw toRedisError(saysOnlyOffline(error) ? lastError : error, address, name);
    }
  };
  const runner = createScriptRunner(command);
  return {
    address,
    keyPrefix: settings.keyPrefix ?? defaultKeyPrefix,
    command,
    run: (script, keys, args) => runner.run(script, keys, args),
    isReady: () => client.status === "ready",
    ready: (timeoutMs) =>
      waitUntilReady(client, timeoutMs, () => toRedisError(lastError, address, "connect")),
    close: () => closeClient(client),
  };
}

/** A client for the work queue's library. The type is the library's own; nothing but src/queue passes it on. */
export type BullmqConnection = Redis;

/**
 * `worker`: waits for ever, as blocking reads must; a silent socket is dropped after 10 s, which is above the queue's 5 s
 * blocking read. No commandTimeout: measured, a worker with it never consumed again after a black-holed socket.
 * `queue`: for adding jobs; fails at once while Redis is away.
 * The caller ends it with `disconnect()`.
 */
export function toBullmqConnection(url: string, role: "worker" | "queue" = "worker"): BullmqConnection {
  const client = new Redis(url, {
    ...sharedOptions(`bullmq-${role}`),
    socketTimeout: 10_000,
    ...(role === "worker"
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: commandTimeoutMs }),
  });
  // Without a listener the library prints every reconnect; state is watched on the command connection.
  client.on("error", () => undefined);
  return client;
}

/** Host and port of a Redis URL, safe to print. */
export function toAddress(url: string): string {
  if (!URL.canParse(url)) return "an unreadable redis.url";
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === "" ? "6379" : port}`;
}

function sharedOptions(role: string) {
  return {
    connectionName: `redriver-${role}`,
    connectTimeout: commandTimeoutMs,
    retryStrategy: (times: number) => Math.min(50 * times, 1_000),
    // A replica that was a master until a moment ago: the next connection finds the new one.
    reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
  } satisfies RedisOptions;
}

function watchState(client: Redis, tell: (state: "ready" | "lost", error?: unknown) => void): void {
  let state: "ready" | "lost" | "unknown" = "unknown";
  const change = (next: "ready" | "lost", error?: unknown): void => {
    if (state === next) return;
    state = next;
    tell(next, error);
  };
  client.on("ready", () => change("ready"));
  client.on("close", () => {
    if (client.status !== "end") change("lost");
  });
}

/** The library says only "Stream isn't writeable" while there is no connection; the reason is in the last error event. */
function saysOnlyOffline(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}

async function waitUntilReady(
  client: Redis,
  timeoutMs: number,
  toFailure: () => RedriverError,
): Promise<void> {
  if (client.status === "ready") return;
  await new Promise<void>((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      client.off("ready", finish);
      client.off("end", finish);
      if (client.status === "ready") resolve();
      else reject(toFailure());
    };
    const timer = setTimeout(finish, timeoutMs);
    client.on("ready", finish);
    client.on("end", finish);
  });
}

async function closeClient(client: Redis): Promise<void> {
  if (client.status === "ready") {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, goodbyeMs);
      const finish = (): void => {
        clearTimeout(timer);
        resolve();
      };
      client.quit().then(finish, finish);
    });
  }
  client.disconnect();
}
