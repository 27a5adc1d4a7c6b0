import { randomUUID } from "node:crypto";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { askRedis } from "../../dev/demo/ask-redis.ts";
import { findRedisServer, type FoundRedis } from "../../dev/demo/find-or-start-redis.ts";
import { isRedisAway } from "../../src/job/contracts/errors.ts";
import { createRedis, type RedisConnection } from "../../src/job/redis/connect.ts";

const cacheDir = path.resolve(import.meta.dirname, "../../.cache/redis");

const markerKey = "redriver-test-database";

export interface TestRedis {
  /** Of the file's server; only inside tests and hooks. */
  url(): string;
  /** The file's connection under a key prefix that no other test has. */
  fresh(): RedisConnection;
}

/**
 * A Redis server for one test file, ended with it. Call at the top of the file. `own`: never a given one, for
 * tests that change the server's settings, users or scripts.
 */
export function useRedis(whose: "any" | "own" = "any"): TestRedis {
  let found: FoundRedis | undefined;
  let redis: RedisConnection | undefined;
  const prefixes: string[] = [];

  beforeAll(async () => {
    found = whose === "own" ? await startOwn() : await findForTests();
    redis = createRedis({ url: found.url }, { role: "test" });
    await redis.ready(5_000);
  });
  afterAll(async () => {
    if (found?.startedByUs === false) await removeKeys(known(redis), prefixes);
    await redis?.close();
    await found?.stop();
  });

  return {
    url: () => known(found).url,
    fresh: () => {
      const keyPrefix = `test-${randomUUID()}`;
      prefixes.push(keyPrefix);
      const connection = { ...known(redis), keyPrefix };
      return whose === "own" ? connection : { ...connection, run: patiently(connection) };
    },
  };
}

const maxTries = 5;

/**
 * A script that Redis was too slow to answer runs again, as every script may: a machine that others use stands
 * still for seconds.
 */
function patiently({ run }: RedisConnection): RedisConnection["run"] {
  return async (script, keys, args) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await run(script, keys, args);
      } catch (error) {
        if (tries === maxTries || !isRedisAway(error)) throw error;
        say(`${script.name}: Redis did not answer in time; it runs again`);
        await setTimeout(1_000);
      }
    }
  };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A given database is left as it was found; it is never flushed. */
async function removeKeys(redis: RedisConnection, prefixes: readonly string[]): Promise<void> {
  for (const prefix of prefixes) {
    const keys = (await redis.command("KEYS", `${prefix}:*`)) as string[];
    if (keys.length > 0) await redis.command("DEL", ...keys);
  }
}

function startOwn(): Promise<FoundRedis> {
  return findRedisServer({ env: { PATH: process.env["PATH"] }, cacheDir, say });
}

/**
 * A given database is empty for the first file only; that file marks it for the others, which run beside it.
 */
async function findForTests(): Promise<FoundRedis> {
  const { REDRIVER_TEST_REDIS_URL: given, PATH } = process.env;
  const isGiven = given !== undefined && given !== "";
  if (isGiven && (await askRedis(given, ["EXISTS", markerKey], 5_000)) === ":1") {
    return { url: given, startedByUs: false, stop: () => Promise.resolve() };
  }
  const found = await findRedisServer({ env: { PATH, REDRIVER_TEST_REDIS_URL: given }, cacheDir, say });
  if (isGiven) await askRedis(given, ["SET", markerKey, "1", "EX", "3600"], 5_000);
  return found;
}

function known<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error("the server is there only inside tests and hooks of the file");
  return thing;
}
