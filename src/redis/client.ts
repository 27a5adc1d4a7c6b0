import { Cluster, Redis, type ClusterOptions, type RedisOptions } from "ioredis";
import { toNode, type RedisTarget, type SentinelTarget } from "./target.ts";

/** Both have the same commands; a cluster's go to the node that has the key. */
export type RedisClient = Redis | Cluster;

export type ClientKind =
  /** Scripts and commands that somebody waits for: fail at once while there is no connection. */
  | "commands"
  /** Adds jobs: fails at once too. */
  | "queue"
  /** Takes jobs: waits for ever, as blocking reads must. */
  | "worker";

export const commandTimeoutMs = 2_000;
/** Above the queue's blocking read of 5 s. */
const workerSilenceMs = 10_000;
const reconnectAtMostMs = 1_000;

/** Connects at once, in the background, and reconnects for ever. `name` is what CLIENT LIST shows. */
export function openClient(target: RedisTarget, kind: ClientKind, name: string): RedisClient {
  const options = toOptions(target, kind, name);
  const { sentinel, cluster } = target;
  if (cluster !== undefined) {
    return new Cluster([toNode(target.url), ...cluster.map((node) => toNode(node))], {
      ...toClusterOptions(kind),
      redisOptions: options,
    });
  }
  const one = {
    ...options,
    retryStrategy: toRetryMs,
    enableOfflineQueue: kind === "worker",
    // The preflight says that a server is loading, or hides INFO; the library waits without a word.
    enableReadyCheck: kind !== "commands",
  };
  if (sentinel !== undefined) return new Redis({ ...one, ...toSentinelOptions(target, sentinel) });
  return new Redis({ ...one, ...toNode(target.url) });
}

type NodeOptions = Pick<
  RedisOptions,
  | "connectionName"
  | "disableClientInfo"
  | "connectTimeout"
  | "username"
  | "password"
  | "db"
  | "tls"
  | "reconnectOnError"
  | "maxRetriesPerRequest"
  | "commandTimeout"
  | "socketTimeout"
>;

/** What holds for a connection to any one server. */
function toOptions(target: RedisTarget, kind: ClientKind, name: string): NodeOptions {
  const url = new URL(target.url);
  // Some write them into the query, because their tools do.
  const said = (part: "username" | "password"): string =>
    decodeURIComponent(url[part]) || (url.searchParams.get(part) ?? "");
  const user = said("username");
  const password = said("password");
  const database = Number(url.pathname.slice(1));
  return {
    connectionName: name,
    // It would report the library's version to the server: one more permission, for nothing.
    disableClientInfo: true,
    connectTimeout: commandTimeoutMs,
    ...(user === "" ? {} : { username: user }),
    ...(password === "" ? {} : { password }),
    ...(database === 0 ? {} : { db: database }),
    ...toTls(target),
    // A replica that was a master until a moment ago: the next connection finds the new one.
    reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
    ...toPatience(kind),
  };
}

/**
 * A silent socket is dropped, so that one that is half open comes back by itself. A worker has no
 * commandTimeout: measured, with one it never consumed again after a black-holed socket. For commands the
 * socket's time is longer than the command's, so that one slow script does not reconnect.
 */
function toPatience(kind: ClientKind): NodeOptions {
  switch (kind) {
    case "commands":
      return {
        maxRetriesPerRequest: 1,
        commandTimeout: commandTimeoutMs,
        socketTimeout: 2 * commandTimeoutMs,
      };
    case "queue":
      return { maxRetriesPerRequest: 1, commandTimeout: commandTimeoutMs, socketTimeout: workerSilenceMs };
    case "worker":
      return { maxRetriesPerRequest: null, socketTimeout: workerSilenceMs };
  }
}

function toTls({ url, ca, cert, key }: RedisTarget): NodeOptions {
  if (new URL(url).protocol !== "rediss:") return {};
  return {
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    },
  };
}

/**
 * Without the library's failoverDetector: what it hears while a connection is being made ends the client for
 * good (seen with ioredis 6.0.0: a daemon that never came back from a failover). A master that is cut off
 * together with its clients is stopped by min-replicas-to-write, see docs/redis.md.
 */
function toSentinelOptions(target: RedisTarget, { nodes, name, user, password }: SentinelTarget) {
  const { tls } = toTls(target);
  return {
    sentinels: nodes.map((node) => toNode(node, 26379)),
    name,
    ...(user === undefined ? {} : { sentinelUsername: user }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(tls === undefined ? {} : { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: toRetryMs,
    sentinelCommandTimeout: commandTimeoutMs,
  } satisfies RedisOptions;
}

/**
 * A cluster's names are looked up by the connection itself, because a certificate names hosts and no
 * addresses.
 */
function toClusterOptions(kind: ClientKind): ClusterOptions {
  return {
    clusterRetryStrategy: toRetryMs,
    enableOfflineQueue: kind === "worker",
    slotsRefreshTimeout: commandTimeoutMs,
    // Where slots have no master as it connects, a check would leave the promise of its `connect` open for
    // ever (ioredis 6.0.0), and with it the worker, which awaits that before it takes another job.
    enableReadyCheck: kind !== "worker",
    dnsLookup: (address, callback) => callback(null, address),
  };
}

function toRetryMs(times: number): number {
  return Math.min(50 * times, reconnectAtMostMs);
}
