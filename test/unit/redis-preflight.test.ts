import { expect, test } from "vitest";
import { findRedisProblems, parseInfo, toProblems } from "../../src/redis/preflight.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis("own");

const fit = { redis_version: "7.0.15", loading: "0", role: "master", maxmemory_policy: "noeviction" };
const problemsOf = (changes: Record<string, string | undefined>) => {
  const fields = Object.entries({ ...fit, ...changes }).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const info = new Map(fields);
  return toProblems(info, info.get("maxmemory_policy"));
};

test("the server of the tests is fit", async () => {
  expect(await findRedisProblems(redis.fresh())).toEqual([]);
});

test.each([
  [{}, []],
  [{ maxmemory_policy: "allkeys-lru" }, ["evicts"]],
  [{ maxmemory_policy: undefined }, ["unreadable"]],
  [{ redis_version: "6.2.0" }, []],
  [{ redis_version: "6.0.16" }, ["old-version"]],
  [{ redis_version: "5.0.14" }, ["old-version"]],
  [{ redis_version: undefined }, ["old-version"]],
  [{ loading: "1" }, ["loading"]],
  [{ role: "slave" }, ["replica"]],
  [{ role: "slave", maxmemory_policy: "volatile-ttl" }, ["evicts", "replica"]],
])("INFO with %j has the problems %j", (changes, kinds) => {
  expect(problemsOf(changes).map(({ kind }) => kind)).toEqual(kinds);
});

test("what can double a message is refused, and the message says what to do", () => {
  expect(problemsOf({ maxmemory_policy: "allkeys-lru" })).toEqual([
    {
      kind: "evicts",
      weight: "refuse",
      message: expect.stringContaining("CONFIG SET maxmemory-policy noeviction") as string,
    },
  ]);
});

test("a server that cannot keep the audit is refused; one that hides its version is only warned of", () => {
  expect(problemsOf({ redis_version: "6.0.16" })).toMatchObject([{ weight: "refuse" }]);
  expect(problemsOf({ redis_version: undefined })).toMatchObject([{ weight: "warn" }]);
});

test("a server that evicts is found out", async () => {
  const server = redis.fresh();
  await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu");
  expect(await findRedisProblems(server)).toMatchObject([{ kind: "evicts" }]);
});

test("INFO is read as fields, whatever else it holds", () => {
  expect([...parseInfo("# Server\r\nredis_version:7.2.4\r\nos:a:b\r\n\r\nnoise\r\n")]).toEqual([
    ["redis_version", "7.2.4"],
    ["os", "a:b"],
  ]);
  expect(parseInfo(null).size).toBe(0);
});
