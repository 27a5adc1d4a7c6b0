import type { Redis } from "ioredis";
import type { RedriverError } from "../contracts/errors.ts";
import { blockedSilenceMs, commandTimeoutMs, openClient, type RedisClient } from "./open-client.ts";
import { defaultKeyPrefix } from "./key-prefix.ts";
import type { ScriptRunner } from "./script-runner.ts";
import type { RedisTarget } from "../contracts/redis-target.ts";
import { toAddress, toDatabase, toLogin, toTopology, type RedisTopology } from "./target.ts";
import { toRedisError } from "./translate-error.ts";
import { withinMs } from "../../within-ms.ts";

/**
 * A connection for commands and scripts. Promises: a call ends within 2 s, also while Redis is away; it reconnects by itself for ever; close never hangs. Fails with
 * `redis-unavailable` or `redis-unsuitable`. In a cluster the keys of one call share a slot. Not part of this contract:
 * blocking commands, subscriptions, transactions.
 */
export interface RedisConnection extends ScriptRunner {
  readonly topology: RedisTopology;
  /** For messages; without user and password. */
  readonly address: string;
  readonly user: string;
  /** `redis.url` names another database than 0. */
  readonly hasDatabase: boolean;
  readonly keyPrefix: string;
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Asks every master: one, or each of a cluster. The command names no key. */
  askMasters(name: string, ...args: readonly (string | number)[]): Promise<readonly MasterReply[]>;
  isReady(): boolean;
  /** How often it became ready. If this grows, the server was away and may have lost writes. */
  timesReady(): number;
  /** Why it is not ready, and what to do; null while it is. */
  whyAway(): string | null;
  /** Resolves when the connection is ready; `redis-unavailable` after `timeoutMs`, and it goes on trying. */
  ready(timeoutMs: number): Promise<void>;
  /** Sends QUIT, waits at most 500 ms for its answer, then drops the socket. */
  close(): Promise<void>;
}

/** `host:port` of a cluster's node, or the connection's address, and what it answered. */
interface MasterReply {
  readonly address: string;
  readonly reply: unknown;
}

const goodbyeMs = 500;
const toTimedOut = (): Error => new Error("Command timed out");

/** Its name in CLIENT LIST is `redriver-<role>`. */
export function createRedis(
  target: RedisTarget,
  { role, keyPrefix = defaultKeyPrefix }: { readonly role: string; readonly keyPrefix?: string },
): RedisConnection {
  const address = toAddress(target);
  const client = openClient(target, "commands", `redriver-${role}`);
  let lastError: unknown = new Error("not connected yet");
  let timesReady = 0;
  let wasReady = false;
  const whyAway = (): RedriverError => toRedisError(lastError, address, "connect");
  client.on("ready", () => {
    if (!wasReady) timesReady += 1;
    wasReady = true;
  });
  client.on("close", () => (wasReady = false));
  client.on("error", (error: unknown) => (lastError = toReason(error)));
  // A cluster emits the errors of its nodes apart. They are the reason why it is not ready.
  if (isCluster(client)) client.on("node error", (error: unknown) => (lastError = error));

  const ask = async (
    asked: RedisClient,
    at: string,
    name: string,
    args: readonly (string | number)[],
  ): Promise<unknown> => {
    try {
      return await withinMs(asked.call(name, ...args), commandTimeoutMs, toTimedOut);
    } catch (error) {
      throw toRedisError(isOffline(error) ? lastError : error, at, name);
    }
  };
  const command: RedisConnection["command"] = (name, ...args) => ask(client, address, name, args);
  return {
    topology: toTopology(target),
    address,
    user: toLogin(target).user || "default",
    hasDatabase: toDatabase(target) !== 0,
    keyPrefix,
    command,
    askMasters: (name, ...args) =>
      Promise.all(
        (isCluster(client) ? client.nodes("master") : [client]).map(async (master) => {
          const at = isCluster(client) ? `${master.options.host}:${master.options.port}` : address;
          return { address: at, reply: await ask(master, at, name, args) };
        }),
      ),
    async run(script, keys, args) {
      try {
        return await command("EVALSHA", script.sha, keys.length, ...keys, ...args);
      } catch (error) {
        if (!isNoScript(error)) throw error;
        return await command("EVAL", script.lua, keys.length, ...keys, ...args);
      }
    },
    isReady: () => client.status === "ready",
    timesReady: () => timesReady,
    whyAway: () => (client.status === "ready" ? null : whyAway().message),
    ready: (timeoutMs) => waitUntilReady(client, timeoutMs, whyAway),
    close: () => closeClient(client),
  };
}

function isNoScript(error: unknown): boolean {
  const refusal = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return refusal instanceof Error && refusal.message.startsWith("NOSCRIPT");
}

/**
 * A client for the work queue's library. Its type is that library's own; only src/job/queue passes it on.
 * `worker`: waits for ever. `queue`: for adding jobs; fails at once while Redis is away. The caller ends it
 * with `disconnect()`.
 */
export function toBullmqConnection(target: RedisTarget, role: "worker" | "queue"): RedisClient {
  const client = openClient(target, role, `redriver-bullmq-${role}`);
  // Without a listener the library prints every reconnect; state is watched on the command connection.
  client.on("error", () => undefined);
  if (role === "worker") waitLonger(client);
  return client;
}

/** What the library makes of it are connections for blocking reads. */
function waitLonger(client: RedisClient): void {
  const socketTimeout = blockedSilenceMs;
  if (isCluster(client)) {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (nodes, options) =>
      duplicate(nodes, { ...options, redisOptions: { ...options?.redisOptions, socketTimeout } });
  } else {
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (options) => duplicate({ ...options, socketTimeout });
  }
}

function isCluster(client: RedisClient): client is Exclude<RedisClient, Redis> {
  return client.isCluster;
}

/** A cluster's error only reports that all nodes failed. The reason is the last node's error. */
function toReason(error: unknown): unknown {
  return error instanceof Error && "lastNodeError" in error && error.lastNodeError instanceof Error
    ? error.lastNodeError
    : error;
}

/** The library's errors while there is no connection. The reason is in the last error event. */
function isOffline(error: unknown): boolean {
  return error instanceof Error && /^(Stream isn't writeable|Cluster isn't ready)/.test(error.message);
}

async function waitUntilReady(
  client: RedisClient,
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

async function closeClient(client: RedisClient): Promise<void> {
  if (client.status === "ready") {
    await withinMs(client.quit(), goodbyeMs, () => new Error("no goodbye")).catch(() => undefined);
  }
  client.disconnect();
}
