import { setTimeout as delay } from "node:timers/promises";
import { createTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import type { Guard } from "../rig/guard.ts";
import { startRedisServer, type RedisServer } from "./redis-server.ts";
import { waitUntil } from "../rig/wait.ts";

/** The Redis that daemons reach, each by a path of its own, and what can happen to it. */
export interface RedisPair {
  readonly paths: readonly TcpProxy[];
  primary(): RedisServer;
  /** Forgets everything. `before` is told just before. */
  flush(before: () => Promise<void>): Promise<void>;
  /**
   * Kills the primary and makes a replica of it the next one; the replica lacks the last `lagMs`. `before` is told just before, with the
   * Unix ms from which on it lacks what was written.
   */
  failOver(lagMs: number, before: (from: number) => Promise<void>): Promise<void>;
  /** Logs of writes of all servers there were. */
  files(): readonly string[];
  close(): Promise<void>;
}

export async function startRedisPair(dir: string, daemons: number, guard: Guard): Promise<RedisPair> {
  const servers: RedisServer[] = [];
  const start = async (): Promise<RedisServer> => {
    const server = await startRedisServer(dir, guard);
    servers.push(server);
    return server;
  };
  let primary = await start();
  const target = (): { host: string; port: number } => ({ host: "127.0.0.1", port: primary.port });
  const paths = await Promise.all(Array.from({ length: daemons }, () => createTcpProxy(target())));

  return {
    paths,
    primary: () => primary,
    async flush(before) {
      await before();
      await primary.connection.command("FLUSHALL");
    },
    async failOver(lagMs, before) {
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
    files: () => servers.flatMap((server) => server.files()),
    async close() {
      await Promise.all(paths.map((path) => path.close()));
      for (const server of servers) {
        await server.connection.close();
        await server.end("SIGKILL");
      }
    },
  };
}

/** Written and not yet with the replica. */
const onItsWayMs = 1_000;

async function isInStep({ connection }: RedisServer): Promise<boolean> {
  const info = String(await connection.command("INFO", "replication"));
  return info.includes("master_link_status:up") && info.includes("master_sync_in_progress:0");
}
