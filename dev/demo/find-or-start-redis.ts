import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { askRedis } from "./ask-redis.ts";
import { probePort } from "./ports.ts";
import { endProgram, findOnPath, hasEnded, spawnProgram } from "./programs.ts";
import { unpackRedis, type RedisProgram } from "./unpack-redis.ts";

/**
 * A Redis for the demo and the tests: `REDRIVER_TEST_REDIS_URL`, or one that is started here and stopped
 * again. A server that was not started here is never flushed or stopped, and is taken only while its database
 * is empty.
 */
export interface FoundRedis {
  readonly url: string;
  readonly startedByUs: boolean;
  /** Ends a server that was started here; for any other it does nothing. Safe to call twice. */
  stop(): Promise<void>;
}

interface RedisSearch {
  /** Where PATH and REDRIVER_TEST_REDIS_URL are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where packages are unpacked when there is no server on PATH, e.g. `.cache/redis`. */
  readonly cacheDir: string;
  readonly say: (line: string) => void;
}

const startTimeoutMs = 10_000;

export async function findRedisServer(search: RedisSearch): Promise<FoundRedis> {
  const given = search.env["REDRIVER_TEST_REDIS_URL"];
  if (given !== undefined && given !== "") return takeGiven(given);
  return startRedis(await findRedisProgram(search));
}

async function takeGiven(url: string): Promise<FoundRedis> {
  if (!URL.canParse(url)) throw new Error("REDRIVER_TEST_REDIS_URL: expected redis://host:port/database");
  const { host, pathname } = new URL(url);
  const size = await askRedis(url, ["DBSIZE"], startTimeoutMs);
  if (size !== ":0") {
    throw new Error(
      `REDRIVER_TEST_REDIS_URL: expected an empty database at ${host}${pathname}, found ${size.slice(1)} keys; give another database number, or unset it to have a server started`,
    );
  }
  return { url, startedByUs: false, stop: () => Promise.resolve() };
}

/** On PATH, or unpacked. Rejects with the line that installs it. */
export async function findRedisProgram({ env, cacheDir, say }: RedisSearch): Promise<RedisProgram> {
  const command = await findOnPath(["redis-server", "valkey-server"], env);
  if (command !== null) return { command, env: {} };
  const hasApt = (await findOnPath(["apt-get"], env)) !== null;
  const program = await unpackRedis(path.resolve(cacheDir), hasApt, say);
  if (program !== null) return program;
  throw new Error(
    "no Redis: expected redis-server or valkey-server on PATH; install it with `sudo apt-get install redis-server` (or `brew install redis`), or set REDRIVER_TEST_REDIS_URL to an empty database",
  );
}

async function startRedis(program: RedisProgram): Promise<FoundRedis> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "redriver-redis-"));
  try {
    // A free port can be taken by somebody else between asking and using it.
    for (let attempt = 1; ; attempt += 1) {
      const port = await probePort(0);
      const url = `redis://127.0.0.1:${port}`;
      const child = spawnServer(program, port, dir);
      const failure = await waitUntilAnswering(child, url);
      if (failure === null) return { url, startedByUs: true, stop: stopOnce(child, dir) };
      await endProgram(child);
      if (attempt === 3) throw new Error(`${program.command} did not start: ${failure}`);
    }
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

function spawnServer(program: RedisProgram, port: number, dir: string): ChildProcess {
  const settings = { port, bind: "127.0.0.1", dir, save: "", appendonly: "no" };
  const fixed = { "maxmemory-policy": "noeviction", daemonize: "no" };
  const options = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  return spawnProgram(program, options);
}

async function waitUntilAnswering(child: ChildProcess, url: string): Promise<string | null> {
  const deadline = Date.now() + startTimeoutMs;
  let failure = "no answer";
  while (Date.now() < deadline) {
    if (hasEnded(child)) return `it ended with ${child.exitCode}`;
    try {
      const reply = await askRedis(url, ["PING"], 1_000);
      if (reply === "+PONG") return null;
      failure = "another server has its port";
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    await sleep(15);
  }
  return failure;
}

function stopOnce(child: ChildProcess, dir: string): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= endProgram(child).then(() => rm(dir, { recursive: true, force: true }));
    return stopped;
  };
}
