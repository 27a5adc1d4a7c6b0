import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askRedis } from "../../../demo/ask-redis.ts";
import { findRedisServer } from "../../../demo/find-or-start-redis.ts";

let dir: string;
const { PATH } = process.env;
const silent = (): void => undefined;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "redriver-find-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

/** A program that only leads to the real server, under a name and place of the test's choosing. */
async function placeServer(file: string): Promise<void> {
  const real = execFileSync("/bin/sh", ["-c", "command -v redis-server || command -v valkey-server"])
    .toString()
    .trim();
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\nexec ${real} "$@"\n`);
  await chmod(file, 0o755);
}

test("a server is started from PATH, keeps nothing, evicts nothing, and is gone after stop", async () => {
  const found = await findRedisServer({ env: { PATH }, cacheDir: dir, say: silent });
  expect(found.startedByUs).toBe(true);
  expect(await askRedis(found.url, ["PING"], 1_000)).toBe("+PONG");
  expect(await askRedis(found.url, ["CONFIG", "GET", "save"], 1_000)).toBe("*2");
  await found.stop();
  await found.stop();
  await expect(askRedis(found.url, ["PING"], 1_000)).rejects.toThrow("ECONNREFUSED");
});

test("valkey-server on PATH will do", async () => {
  await placeServer(path.join(dir, "bin/valkey-server"));
  const found = await findRedisServer({ env: { PATH: path.join(dir, "bin") }, cacheDir: dir, say: silent });
  expect(await askRedis(found.url, ["PING"], 1_000)).toBe("+PONG");
  await found.stop();
});

test("an unpacked server is used when PATH has none", async () => {
  await placeServer(path.join(dir, "root/usr/bin/redis-server"));
  const found = await findRedisServer({ env: { PATH: "/nowhere" }, cacheDir: dir, say: silent });
  expect(await askRedis(found.url, ["PING"], 1_000)).toBe("+PONG");
  await found.stop();
});

test("without a server, without packages and without apt the error is the line that installs one", async () => {
  await expect(findRedisServer({ env: { PATH: "/nowhere" }, cacheDir: dir, say: silent })).rejects.toThrow(
    "apt-get install redis-server",
  );
  expect(await readdir(dir)).toEqual([]);
});

test("a given server is used while its database is empty, and neither stopped nor flushed", async () => {
  const own = await findRedisServer({ env: { PATH }, cacheDir: dir, say: silent });
  const given = `${own.url}/3`;
  const found = await findRedisServer({
    env: { PATH, REDRIVER_TEST_REDIS_URL: given },
    cacheDir: dir,
    say: silent,
  });
  expect(found).toMatchObject({ url: given, startedByUs: false });
  await askRedis(given, ["SET", "somebody", "else"], 1_000);
  await found.stop();
  expect(await askRedis(given, ["DBSIZE"], 1_000)).toBe(":1");

  const search = { env: { PATH, REDRIVER_TEST_REDIS_URL: given }, cacheDir: dir, say: silent };
  await expect(findRedisServer(search)).rejects.toThrow(
    /expected an empty database at 127.0.0.1:\d+\/3, found 1 keys/,
  );
  expect(await askRedis(given, ["DBSIZE"], 1_000)).toBe(":1");
  await own.stop();
});

test("a given server that does not answer is an error that does not show the password", async () => {
  const env = { PATH, REDRIVER_TEST_REDIS_URL: "redis://user:secret@127.0.0.1:1/0" };
  const failure = await findRedisServer({ env, cacheDir: dir, say: silent }).catch((error: unknown) =>
    String(error),
  );
  expect(failure).toContain("127.0.0.1:1");
  expect(failure).not.toContain("secret");
});
