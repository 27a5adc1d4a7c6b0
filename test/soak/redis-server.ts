import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createRedis, type RedisConnection } from "../../src/redis/connect.ts";
import { waitUntil } from "../rig/wait.ts";
import type { Guard } from "../rig/guard.ts";

/**
 * A Redis server of the soak. Its log of writes is plain text, synced with every write and never rewritten: a restart keeps what was
 * acknowledged, and whatever was ever kept can be searched.
 */
export interface RedisServer {
  readonly port: number;
  /** Straight to it. */
  readonly connection: RedisConnection;
  signal(signal: NodeJS.Signals): void;
  /** Ends it and waits until it is gone. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** After an end: with what it had, on the same port. */
  start(): Promise<void>;
  /** Its logs of writes. */
  files(): readonly string[];
}

const startWithinMs = 20_000;
/** A server that took its port from under it is met again at most so often. */
const tries = 3;

export async function startRedisServer(dir: string, guard: Guard): Promise<RedisServer> {
  for (let attempt = 1; ; attempt += 1) {
    const own = join(dir, `redis-${attempt}-${performance.now().toFixed(0)}`);
    mkdirSync(own, { recursive: true });
    const server = createServerAt(await freePort(), own, guard);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.end("SIGKILL");
      if (attempt === tries) throw error;
    }
  }
}

function createServerAt(port: number, dir: string, guard: Guard): RedisServer {
  let child: ChildProcess | null = null;
  const connection = createRedis(`redis://127.0.0.1:${port}`, { role: "soak", keyPrefix: "soak" });
  return {
    port,
    connection,
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      const ending = child;
      child = null;
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
      const gone = once(ending, "exit");
      ending.kill(signal);
      await gone;
      if (ending.pid !== undefined) guard.remove(ending.pid);
    },
    async start() {
      const started = spawn("redis-server", toArguments(port, dir), { stdio: "ignore", cwd: dir });
      child = started;
      started.on("error", () => undefined);
      if (started.pid === undefined) {
        throw new Error("no redis-server on PATH; install it with `apt-get install redis-server`");
      }
      guard.add(started.pid);
      await waitUntil(
        `Redis on port ${port}`,
        async () => {
          if (started.exitCode !== null) throw new Error(`redis-server ended with ${started.exitCode}`);
          return connection.isReady() && (await connection.command("PING").catch(() => "")) === "PONG";
        },
        startWithinMs,
      );
    },
    files: () =>
      readdirSync(dir, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".aof"))
        .map((name) => join(dir, name)),
  };
}

function toArguments(port: number, dir: string): readonly string[] {
  const options = {
    port: String(port),
    bind: "127.0.0.1",
    dir,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
    "aof-use-rdb-preamble": "no",
    "auto-aof-rewrite-percentage": "0",
    "maxmemory-policy": "noeviction",
    "repl-diskless-sync-delay": "0",
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
