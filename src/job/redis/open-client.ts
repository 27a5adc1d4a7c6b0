import { Cluster, Redis, type ClusterOptions, type RedisOptions } from "ioredis";
import type { RedisTarget, SentinelTarget } from "../contracts/redis-target.ts";
import { toDatabase, toLogin, toNode } from "./target.ts";

/** Both have the same commands. A cluster sends each to the node that has its key. */
export type RedisClient = Redis | Cluster;

/**
 * `commands`: scripts and commands that somebody waits for, fail at once while there is no connection. `queue`: adds
 * jobs, fails at once too. `worker`: takes jobs, waits for ever, as blocking reads must.
 */
export type ClientKind = "commands" | "queue" | "worker";

export const commandTimeoutMs = 2_000;
const workerSilenceMs = 12_000;
/** Above the longest blocking read of a worker, 30 s (queue/queue-worker.ts), whose end the library sees to itself. */
export const blockedSilenceMs = 35_000;
/** A peer that is gone, or behind a path that drops all, is noticed after this and ten unanswered probes a second apart. */
const keepAliveMs = 5_000;
const maxReconnectMs = 1_000;

/**
 * The library would report its version to each server, which needs one more permission. Also over the connections
 * that it makes to Sentinels by itself: they know no options but these (ioredis 6.0.0).
 */
Redis["defaultOptions"].disableClientInfo = true;

/** Connects at once, in the background, and reconnects for ever. `name`: as CLIENT LIST shows it. */
export function openClient(target: RedisTarget, kind: ClientKind, name: string): RedisClient {
  const options = toOptions(target, kind, name);
  const { url, sentinel, cluster } = target;
  if (cluster !== undefined) {
    const nodes = [url, ...cluster].map((node) => toNode(node));
    return new Cluster(nodes, { ...toClusterOptions(kind), redisOptions: options });
  }
  return new Redis({
    ...options,
    retryStrategy: toRetryMs,
    enableOfflineQueue: kind === "worker",
    // The preflight reports that a server is loading, or hides INFO; the library would wait silently.
    enableReadyCheck: kind !== "commands",
    ...(sentinel === undefined ? toNode(url) : toSentinelOptions(target, sentinel)),
  });
}

type NodeOptions = Omit<NonNullable<ClusterOptions["redisOptions"]>, "replyMapping">;

function toOptions(target: RedisTarget, kind: ClientKind, name: string): NodeOptions {
  const { user, password } = toLogin(target);
  const database = toDatabase(target);
  return {
    connectionName: name,
    connectTimeout: commandTimeoutMs,
    keepAlive: keepAliveMs,
    ...(user && { username: user }),
    ...(password && { password }),
    ...(database !== 0 && { db: database }),
    ...toTls(target),
    // A master that has become a replica: the next connection finds the new master.
    reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
    ...toTimeouts(kind),
  };
}

/**
 * A silent socket is dropped, so that a half open one is made again. A worker has no commandTimeout: with one
 * it never took a job again after a black-holed socket (measured). For commands the socket's timeout is
 * longer than a command's, so that one slow script does not reconnect.
 */
function toTimeouts(kind: ClientKind): NodeOptions {
  switch (kind) {
    case "commands":
      // connect.ts holds each command to its time: the library's own timer would not read a last time first.
      // A socket that has closed already would hold the process for its two seconds.
      return { maxRetriesPerRequest: 1, socketTimeout: 2 * commandTimeoutMs, disconnectTimeout: 100 };
    case "queue":
      return { maxRetriesPerRequest: 1, commandTimeout: commandTimeoutMs, socketTimeout: workerSilenceMs };
    case "worker":
      return { maxRetriesPerRequest: null, socketTimeout: workerSilenceMs };
  }
}

function toTls({ url, ca, cert, key }: RedisTarget): NodeOptions {
  if (new URL(url).protocol !== "rediss:") return {};
  return { tls: { ...(ca && { ca }), ...(cert && key && { cert, key }) } };
}

/**
 * Without the library's failoverDetector: a message that it gets while a connection is being made ends the
 * client for good (seen with ioredis 6.0.0: a daemon that never came back from a failover). A master that is
 * cut off together with its clients is stopped by min-replicas-to-write (docs/redis.md).
 */
function toSentinelOptions(target: RedisTarget, { nodes, name, user, password }: SentinelTarget) {
  const { tls } = toTls(target);
  return {
    sentinels: nodes.map((node) => toNode(node, 26379)),
    name,
    ...(user !== undefined && { sentinelUsername: user }),
    ...(password !== undefined && { sentinelPassword: password }),
    ...(tls !== undefined && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: toRetryMs,
    sentinelCommandTimeout: commandTimeoutMs,
  } satisfies RedisOptions;
}

/** The connection itself looks up a cluster's names, because a certificate has hosts and no addresses. */
function toClusterOptions(kind: ClientKind): ClusterOptions {
  return {
    clusterRetryStrategy: toRetryMs,
    enableOfflineQueue: kind === "worker",
    slotsRefreshTimeout: commandTimeoutMs,
    // If slots have no master as it connects, a check leaves the promise of its `connect` open for ever
    // (ioredis 6.0.0). The worker awaits that promise before it takes another job. Commands are to say what is down.
    enableReadyCheck: kind === "queue",
    dnsLookup: (address, callback) => callback(null, address),
  };
}

function toRetryMs(times: number): number {
  return Math.min(50 * times, maxReconnectMs);
}
