import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createRedis, type RedisConnection } from "../../src/job/redis/connect.ts";
import type { Guard } from "../rig/guard.ts";
import { waitUntil } from "../rig/wait.ts";
import { createRedisServers, type RedisServer } from "../support/redis-servers.ts";
import { createTcpProxy } from "../support/tcp-proxy.ts";
import { keyPrefix } from "./document.ts";

export interface SoakRedis extends RedisServer {
  /** Straight to it. */
  readonly connection: RedisConnection;
}

/**
 * A log of writes in plain text, synced with every write and never rewritten: a restart keeps what was
 * acknowledged, and whatever was ever kept can be searched.
 */
const serverArgs = Object.entries({
  appendonly: "yes",
  appendfsync: "always",
  "aof-use-rdb-preamble": "no",
  "auto-aof-rewrite-percentage": "0",
  "maxmemory-policy": "noeviction",
  "repl-diskless-sync-delay": "0",
}).flatMap(([name, value]) => [`--${name}`, value]);

/** The Redis that daemons reach, each by a path of its own, and what can happen to it. */
export async function startRedisPair(dir: string, daemons: number, guard: Guard) {
  const servers = createRedisServers({ guard, dir });
  const started: SoakRedis[] = [];
  const start = async (): Promise<SoakRedis> => {
    const server = await servers.start(serverArgs);
    const connection = createRedis({ url: server.url }, { role: "soak", keyPrefix });
    const untilConnected = (): Promise<void> =>
      waitUntil(
        `Redis on port ${server.port}`,
        async () => connection.isReady() && (await connection.command("PING").catch(() => "")) === "PONG",
        20_000,
      );
    const restart = async (): Promise<void> => {
      await server.restart();
      await untilConnected();
    };
    const one = { ...server, connection, restart };
    started.push(one);
    await untilConnected();
    return one;
  };
  let primary = await start();
  const target = (): { host: string; port: number } => ({ host: "127.0.0.1", port: primary.port });
  const paths = await Promise.all(Array.from({ length: daemons }, () => createTcpProxy(target())));

  return {
    paths,
    primary: (): SoakRedis => primary,
    /** Forgets everything. `before` is called just before. */
    async flush(before: () => Promise<void>): Promise<void> {
      await before();
      await primary.connection.command("FLUSHALL");
    },
    /**
     * Kills the primary and makes a replica of it the next one; the replica lacks the last `lagMs`. `before` is
     * called just before, with the Unix ms from which on it lacks what was written.
     */
    async failOver(lagMs: number, before: (from: number) => Promise<void>): Promise<void> {
      const link = await createTcpProxy(target());
      const next = await start();
      try {
        await next.connection.command("REPLICAOF", "127.0.0.1", link.port);
        await waitUntil("the replica", async () => isInStep(next), 10_000);
        const from = Date.now() - onItsWayMs;
        link.swallow();
        await delay(lagMs);
        await before(from);
        await primary.end("SIGKILL");
        await next.connection.command("REPLICAOF", "NO", "ONE");
        await primary.connection.close();
        primary = next;
        for (const path of paths) {
          path.retarget(target());
          path.reset();
        }
      } finally {
        await link.close();
      }
    },
    /** Logs of writes of all servers there were. */
    files: (): readonly string[] =>
      started.flatMap((server) =>
        readdirSync(server.dir, { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".aof"))
          .map((name) => join(server.dir, name)),
      ),
    async close(): Promise<void> {
      await Promise.all(paths.map((path) => path.close()));
      for (const { connection } of started) await connection.close();
      await servers.stop();
    },
  };
}

/** Written and not yet with the replica. */
const onItsWayMs = 1_000;

async function isInStep({ connection }: SoakRedis): Promise<boolean> {
  const info = String(await connection.command("INFO", "replication"));
  return info.includes("master_link_status:up") && info.includes("master_sync_in_progress:0");
}
