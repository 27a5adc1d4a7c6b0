import { describe, expect, test } from "vitest";
import type { SourceId } from "../../../../../src/job/contracts/ids.ts";
import { createRedisLedger } from "../../../../../src/job/store/ledger/redis-ledger.ts";
import { sourceKeys } from "../../../../../src/job/store/keys.ts";
import type { RedisConnection } from "../../../../../src/job/redis/connect.ts";
import { postHorizonMs } from "../../../../../src/job/contracts/ledger-limits.ts";
import {
  parkAs,
  factOf,
  defaultLimits,
  dlqId,
  drain,
  redisStand,
  request,
  source,
  startOfTime,
  token,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

/**
 * What only the ledger in Redis has: the server's own time, lives as TTLs, lost writes.
 */
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

test("time goes on where the server's steps back: what has passed since a POST is not forgotten", async () => {
  const stand = await redisStand(redis.fresh());
  const { ledger } = stand;
  const begun = await ledger.begin([request(id)], beginAt(stand.now()));
  await stand.advance(10_000);
  expect(await ledger.summary()).toMatchObject({ at: begun.at + 10_000, unknown: 0 });
  await stand.advance(-300_000);
  expect(await ledger.now()).toMatchObject({ at: begun.at + 10_000 });
  await ledger.summary();
  await stand.advance(postHorizonMs(defaultLimits) - 10_000);
  expect((await ledger.peek([id])).views).toMatchObject([{ unknown: true, pastHorizon: false }]);
  await stand.advance(1);
  expect((await ledger.peek([id])).views).toMatchObject([{ unknown: true, pastHorizon: true }]);
});

test("time is the server's again once nothing is open or pending after it stepped back", async () => {
  const stand = await redisStand(redis.fresh());
  const { ledger } = stand;
  const fact = factOf(id, "1");
  const { at } = await ledger.published([fact]);
  await stand.advance(-300_000);
  expect(await ledger.summary()).toMatchObject({ at });
  await ledger.gone([id]);
  // What is parked may be in doubt, and is asked for its age when somebody releases it.
  const other = dlqId(2);
  await parkAs(stand, other, "refused");
  expect(await ledger.summary()).toMatchObject({ at });
  await ledger.published([{ ...fact, dlqId: other }]);
  await ledger.gone([other]);
  expect(await ledger.summary()).toMatchObject({ at: at - 300_000 });
  // A page from before that is of unknown age.
  expect(await ledger.begin([request(dlqId(3))], beginAt(at))).toMatchObject({ kind: "page-too-old" });
  await stand.advance(1_000);
  expect(await ledger.now()).toMatchObject({ at: at - 299_000 });
});

test("a tombstone that is listed lives on", async () => {
  const stand = await redisStand(redis.fresh());
  const { ledger } = stand;
  const fact = factOf(id, "1");
  await ledger.published([fact]);
  await ledger.gone([id]);
  for (let times = 0; times < 3; times += 1) {
    await stand.advance(defaultLimits.tombstoneMs * 0.6);
    expect((await ledger.look([id])).views).toMatchObject([{ state: "gone" }]);
  }
  await stand.advance(defaultLimits.tombstoneMs);
  expect((await ledger.look([id])).views).toEqual([{ state: "absent" }]);
});

test("an intent lives for the retention, a tombstone for its own time", async () => {
  const connection = redis.fresh();
  const ledger = ledgerIn(connection);
  const { at } = await ledger.now();
  await ledger.begin([request(id)], beginAt(at));
  const key = `${sourceKeys(connection.keyPrefix, source).entryPrefix}${id}`;
  const ttl = async (): Promise<number> => Number(await connection.command("PTTL", key));
  expect(await ttl()).toBeGreaterThan(defaultLimits.retentionMs - 10_000);
  await ledger.published([factOf(id, "x")]);
  expect(await ttl()).toBeGreaterThan(defaultLimits.retentionMs - 10_000);
  await ledger.gone([id]);
  const left = await ttl();
  expect(left).toBeGreaterThan(defaultLimits.tombstoneMs - 10_000);
  expect(left).toBeLessThanOrEqual(defaultLimits.tombstoneMs);
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

describe("an entry that another version wrote", () => {
  const texts = {
    open: { v: 2, s: "open", until: "later" },
    published: { v: 2, s: "published", as: ["x"] },
    parked: { v: 2, s: "parked", why: { code: 7 } },
  };
  /** All of a version to come, beside one entry of ours in each index. */
  async function withOthers() {
    const connection = redis.fresh();
    const ledger = ledgerIn(connection);
    const keys = sourceKeys(connection.keyPrefix, source);
    const { at } = await ledger.now();
    const ours = { open: dlqId(11), published: dlqId(12), parked: dlqId(13) };
    const others = { open: dlqId(1), published: dlqId(2), parked: dlqId(3) };
    await ledger.begin([request(ours.open), request(ours.published)], beginAt(at));
    await ledger.published([factOf(ours.published, "x")]);
    await ledger.park([{ dlqId: ours.parked, reason: "refused", attempt: 1 }], byUs);
    for (const state of ["open", "published", "parked"] as const) {
      await connection.command("SET", `${keys.entryPrefix}${others[state]}`, JSON.stringify(texts[state]));
    }
    // In front of ours, and long ago.
    await connection.command("ZADD", keys.open, 1_000, others.open);
    await connection.command("ZADD", keys.open, 2_000, ours.open);
    await connection.command("ZADD", keys.pending, at - 1_000, others.published);
    await connection.command("ZADD", keys.parked, at + 1_000_000, others.parked);
    const kept = async (): Promise<readonly unknown[]> => [
      ...((await connection.command(
        "MGET",
        ...Object.values(others).map((one) => `${keys.entryPrefix}${one}`),
      )) as readonly string[]),
      await connection.command("ZSCORE", keys.open, others.open),
      await connection.command("ZSCORE", keys.pending, others.published),
      await connection.command("ZSCORE", keys.parked, others.parked),
    ];
    return { ledger, at, ours, others: Object.values(others), all: { ours, others }, kept };
  }
  const byUs = { drain, rulesHash: "h", token: null } as const;

  test("is told as such, and nothing that is done to it changes it or its place", async () => {
    const { ledger, at, others, kept } = await withOthers();
    const before = await kept();
    const told = others.map(() => ({ state: "other-version" }));
    const all = (kind: string) => ({ verdicts: others.map(() => ({ kind })) });
    expect((await ledger.look(others)).views).toEqual(told);
    expect((await ledger.peek(others)).views).toEqual(told);
    const requests = others.map((one) => request(one));
    const options = { ...beginAt(at), pastHorizon: "new-series" } as const;
    expect(await ledger.begin(requests, options)).toMatchObject(all("other-version"));
    const facts = others.map((one) => factOf(one, "x"));
    expect(await ledger.published(facts)).toMatchObject(all("other-version"));
    const refusals = others.map((one) => ({ dlqId: one, outcome: "refused", coolMs: 1 }) as const);
    expect(await ledger.refused(refusals, token("a"))).toMatchObject(all("not-yours"));
    expect(await ledger.archived(others, "file", token("a"))).toMatchObject({
      verdicts: others.map(() => "not-yours"),
    });
    const parkings = others.map((one) => ({ dlqId: one, reason: "refused", attempt: 1 }) as const);
    expect(await ledger.park(parkings, byUs)).toMatchObject(all("not-yours"));
    expect(await ledger.gone(others)).toMatchObject({ count: 0 });
    expect(await ledger.release(others)).toMatchObject({ count: 0 });
    expect(await ledger.markUnlistedGone(drain, at + 1_000_000)).toMatchObject({ count: 1 });
    await ledger.deleteFailed(others);
    expect(await kept()).toEqual(before);
  });

  test("keeps none of ours from being found or written", async () => {
    const { ledger, at, ours, all, kept } = await withOthers();
    const before = await kept();
    expect((await ledger.unknownOutcomes(1, 0)).entries).toMatchObject([{ dlqId: ours.open }]);
    expect((await ledger.pendingDeletes(1, 0)).entries).toMatchObject([{ dlqId: ours.published }]);
    expect((await ledger.parked(null, 10)).entries).toMatchObject([{ dlqId: ours.parked }]);
    const mixed = [all.others.open, ours.open, all.others.published, dlqId(14)];
    expect(await ledger.published(mixed.map((one) => factOf(one, "x")))).toMatchObject({
      verdicts: ["other-version", "recorded", "other-version", "recorded"].map((kind) => ({ kind })),
    });
    expect(
      await ledger.begin([request(all.others.open), request(dlqId(15))], {
        ...beginAt(at),
        token: token("b"),
      }),
    ).toMatchObject({ verdicts: [{ kind: "other-version" }, { kind: "begun" }] });
    expect(await ledger.summary()).toMatchObject({ open: 2, settleGate: "open" });
    expect(await kept()).toEqual(before);
  });
});

describe("a loss that was noticed", () => {
  test("is told with every answer from then on, and not before", async () => {
    const { ledger } = await redisStand(redis.fresh());
    expect((await ledger.now()).lost).toBeUndefined();
    const lost = { at: startOfTime, since: startOfTime - defaultLimits.settleGateAgeMs };
    expect(await ledger.recordLoss()).toMatchObject({ lost });
    expect(await ledger.now()).toMatchObject({ lost });
    expect(await ledger.look([dlqId(1)])).toMatchObject({ lost });
    expect(await ledger.peek([dlqId(1)])).toMatchObject({ lost });
    expect(await ledger.summary()).toMatchObject({ lost });
  });

  test("counts from the first of those that follow each other within the window, and is as late as the last", async () => {
    const { ledger, advance } = await redisStand(redis.fresh());
    const { dedupWindowMs, settleGateAgeMs } = defaultLimits;
    await ledger.recordLoss();
    await advance(dedupWindowMs);
    expect((await ledger.recordLoss()).lost).toEqual({
      at: startOfTime + dedupWindowMs,
      since: startOfTime - settleGateAgeMs,
    });
    await advance(dedupWindowMs + 1);
    const now = startOfTime + 2 * dedupWindowMs + 1;
    expect((await ledger.recordLoss()).lost).toEqual({ at: now, since: now - settleGateAgeMs });
  });

  test("counts from the oldest publication that was not settled, where that is older than the gate lets pend", async () => {
    const { ledger } = await redisStand(redis.fresh());
    const { settleGateAgeMs } = defaultLimits;
    const since = startOfTime - settleGateAgeMs;
    expect((await ledger.recordLoss(since + 1)).lost).toEqual({ at: startOfTime, since });
    expect((await ledger.recordLoss(since - 1)).lost).toEqual({ at: startOfTime, since: since - 1 });
    expect((await ledger.recordLoss()).lost).toEqual({ at: startOfTime, since: since - 1 });
  });
});
