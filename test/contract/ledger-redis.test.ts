import { expect, test } from "vitest";
import type { SourceId } from "../../src/ports/ids.ts";
import { createRedisLedger } from "../../src/ledger/redis-ledger.ts";
import { createRedisSourceBook } from "../../src/ledger/redis-source-book.ts";
import { sourceKeys } from "../../src/ledger/keys.ts";
import type { RedisConnection } from "../../src/redis/connect.ts";
import { defaultLimits, dlqId, drain, messageId, request, source, token } from "../support/ledger-stands.ts";
import { useRedis } from "../support/redis.ts";

/** What only the ledger in Redis has: the server's own time, lives as TTLs, lost writes. Nothing here is run twice or moves time. */
const redis = useRedis();
const id = dlqId(1);

function ledgerIn(connection: RedisConnection, limits = defaultLimits, of: SourceId = source) {
  let seeds = 0;
  return createRedisLedger(connection, of, limits, { epochSeed: () => `epoch-${(seeds += 1)}` });
}

function beginAt(pageReadAt: number) {
  return { token: token("a"), drain, act: "republish", pageReadAt, pastHorizon: "leave" } as const;
}

test("time is the server's", async () => {
  const connection = redis.fresh();
  const ledger = ledgerIn(connection);
  const [seconds] = (await connection.command("TIME")) as [string, string];
  const { at } = await ledger.now();
  expect(at).toBeGreaterThanOrEqual(Number(seconds) * 1_000);
  expect(at).toBeLessThan(Number(seconds) * 1_000 + 10_000);
  expect(await ledger.begin([request(id)], beginAt(at))).toMatchObject({
    verdicts: [{ kind: "begun", series: { posts: 1 } }],
  });
});

test("an intent lives for the retention, a tombstone for its own time", async () => {
  const connection = redis.fresh();
  const ledger = ledgerIn(connection);
  const { at } = await ledger.now();
  await ledger.begin([request(id)], beginAt(at));
  const key = `${sourceKeys(connection.keyPrefix, source).entryPrefix}${id}`;
  const ttl = async (): Promise<number> => Number(await connection.command("PTTL", key));
  expect(await ttl()).toBeGreaterThan(defaultLimits.retentionMs - 10_000);
  await ledger.published([
    { dlqId: id, as: messageId("x"), attempt: 1, deletePending: true, drain, messageId: null },
  ]);
  expect(await ttl()).toBeGreaterThan(defaultLimits.retentionMs - 10_000);
  await ledger.gone([id]);
  const left = await ttl();
  expect(left).toBeGreaterThan(defaultLimits.tombstoneMs - 10_000);
  expect(left).toBeLessThanOrEqual(defaultLimits.tombstoneMs);
});

test("an entry that expires by itself leaves the indexes", async () => {
  const ledger = ledgerIn(redis.fresh(), { ...defaultLimits, retentionMs: 30 });
  await ledger.published([
    { dlqId: id, as: messageId("x"), attempt: 1, deletePending: true, drain, messageId: null },
  ]);
  await expect.poll(async () => (await ledger.summary()).pendingDelete).toBe(0);
});

test("when Redis has lost everything the epoch is another, and the sequence starts over", async () => {
  const connection = redis.fresh();
  const ledger = ledgerIn(connection);
  const before = await ledger.begin([request(id)], beginAt((await ledger.now()).at));
  await connection.command("DEL", sourceKeys(connection.keyPrefix, source).meta);
  const after = await ledger.now();
  expect(after.epoch).not.toBe(before.epoch);
  expect(after.sequence).toBeLessThan(before.sequence);
});

test("an entry of another layout is refused, not misread", async () => {
  const connection = redis.fresh();
  const ledger = ledgerIn(connection);
  const key = `${sourceKeys(connection.keyPrefix, source).entryPrefix}${id}`;
  await connection.command("SET", key, JSON.stringify({ v: 2, s: "open" }));
  await expect(ledger.look([id])).rejects.toMatchObject({ code: "invariant-broken" });
  const { at } = await ledger.now();
  await expect(ledger.begin([request(id)], beginAt(at))).rejects.toMatchObject({ code: "invariant-broken" });
});

test("two sources know nothing of each other, and all keys of one share its hash tag", async () => {
  const connection = redis.fresh();
  const [eu, us] = [ledgerIn(connection), ledgerIn(connection, defaultLimits, "us" as SourceId)];
  const { at } = await eu.now();
  await eu.begin([request(id)], beginAt(at));
  expect((await us.look([id])).views).toEqual([{ state: "absent" }]);
  const keys = (await connection.command("KEYS", `${connection.keyPrefix}:*`)) as string[];
  expect(keys.length).toBeGreaterThan(2);
  expect(keys.every((key) => key.includes(":{eu}:") || key.includes(":{us}:"))).toBe(true);
});

test("a page of a hundred records is begun in one script", async () => {
  const connection = redis.fresh();
  let scripts = 0;
  const counted: RedisConnection = {
    ...connection,
    run: (script, keys, args) => {
      scripts += 1;
      return connection.run(script, keys, args);
    },
  };
  const ledger = ledgerIn(counted);
  const { at } = await ledger.now();
  scripts = 0;
  const ids = Array.from({ length: 100 }, (_, n) => dlqId(n));
  const answer = await ledger.begin(
    ids.map((one) => request(one)),
    beginAt(at),
  );
  expect(answer.kind === "answered" && answer.verdicts.every(({ kind }) => kind === "begun")).toBe(true);
  expect(scripts).toBe(1);
});

test("a source id is bound to its first address; its token may change", async () => {
  const book = createRedisSourceBook(redis.fresh(), source);
  expect(await book.bind("url-1", "token-1")).toBe("bound");
  expect(await book.bind("url-1", "token-1")).toBe("same");
  expect(await book.bind("url-1", "token-2")).toBe("token-changed");
  expect(await book.bind("url-2", "token-2")).toBe("url-differs");
  expect(await book.bind("url-1", "token-2")).toBe("same");
});

test("what a source's dates mean is unknown until learned", async () => {
  const book = createRedisSourceBook(redis.fresh(), source);
  expect(await book.datesMean()).toBeNull();
  await book.learnDates("entered");
  expect(await book.datesMean()).toBe("entered");
});
