import { expect, test } from "vitest";
import { judgeServer, memoryShare, parseInfo } from "../../../../src/job/redis/judge-server.ts";
import { checkFitness } from "../../../../src/job/redis/check-fitness-and-room.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

const fit = { redis_version: "7.0.15", loading: "0", role: "master", maxmemory_policy: "noeviction" };
const problemsOf = (changes: Record<string, string | undefined>) => {
  const fields = Object.entries({ ...fit, ...changes }).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const info = new Map(fields);
  return judgeServer(info, info.get("maxmemory_policy"));
};

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
  [{ used_memory: "89", maxmemory: "100" }, []],
  [{ used_memory: "90", maxmemory: "100" }, ["almost-full"]],
  [{ used_memory: "95", maxmemory: "100", mem_not_counted_for_evict: "10" }, []],
  [{ used_memory: "1000", maxmemory: "0" }, []],
  [{ aof_enabled: "1", aof_last_write_status: "err" }, ["not-writing"]],
  [{ aof_enabled: "0", aof_last_write_status: "err" }, []],
])("INFO with %j has the problems %j", (changes, kinds) => {
  expect(problemsOf(changes).map(({ kind }) => kind)).toEqual(kinds);
});

test("a server that cannot keep the audit is refused; one that hides its version is only warned of", () => {
  expect(problemsOf({ redis_version: "6.0.16" })).toMatchObject([{ weight: "refuse" }]);
  expect(problemsOf({ redis_version: undefined })).toMatchObject([{ weight: "warn" }]);
});

test("a server that evicts is found out", async () => {
  const server = redis.fresh();
  await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu");
  expect((await checkFitness(server)).problems).toMatchObject([
    { kind: "evicts", weight: "refuse", message: expect.stringContaining("CONFIG SET") as string },
  ]);
});

test("INFO is read as fields, whatever else it holds", () => {
  expect([...parseInfo("# Server\r\nredis_version:7.2.4\r\nos:a:b\r\n\r\nnoise\r\n")]).toEqual([
    ["redis_version", "7.2.4"],
    ["os", "a:b"],
  ]);
  expect(parseInfo(null).size).toBe(0);
});

test("a server that is almost full is held back from new work, not from what is begun", () => {
  expect(problemsOf({ used_memory: "99", maxmemory: "100" })).toMatchObject([{ weight: "hold" }]);
  expect(memoryShare(new Map([["used_memory", "50"]]))).toBeNull();
});

test("a server that takes no writes is found out, and what it is said to be told", async () => {
  const server = redis.fresh();
  await server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
  await server.command("CONFIG", "SET", "min-replicas-to-write", "1");
  expect((await checkFitness(server)).problems).toMatchObject([
    {
      kind: "not-writing",
      weight: "refuse",
      message: expect.stringContaining("min-replicas-to-write") as string,
    },
  ]);
  await server.command("CONFIG", "SET", "min-replicas-to-write", "0");
  expect((await checkFitness(server)).problems).toEqual([]);
});
