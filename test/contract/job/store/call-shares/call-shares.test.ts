import { describe, expect, it } from "vitest";
import {
  shareLeaseMs,
  type CallReport,
  type CallShares,
  type NamedLimit,
} from "../../../../../src/job/contracts/call-shares.ts";
import { createRedisCallShares } from "../../../../../src/job/store/call-shares/redis-call-shares.ts";
import { source, withMovedTime } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const max = 64;
const start = { limit: 4, cuts: 0, isCut: false };
const fifty: NamedLimit = { calls: 50, windowMs: 1_000, resetInMs: 400, isUsedUp: true };

const report = (given: Partial<CallReport> = {}): CallReport => ({
  inFlight: 1,
  demand: max,
  dlqPerSecond: 0,
  limits: { list: start, batch: start, delete: start },
  named: null,
  ...given,
});

/** Replicas of one source on one clock in the test's hand; every script runs twice. */
function create() {
  const time = withMovedTime(redis.fresh());
  const replica = (name: string): CallShares => createRedisCallShares(time.redis, source, name, max);
  return { ...time, replica, one: replica("one"), two: replica("two") };
}

const partOf = async (shares: CallShares, given?: Partial<CallReport>): Promise<number> =>
  (await shares.exchange(report(given))).part;

describe("the parts of replicas", () => {
  it("are all for one alone, and half of it when a second has come and the first has given room", async () => {
    const { one, two } = create();
    expect(await partOf(one)).toBe(64);
    expect(await partOf(two)).toBe(1);
    // The first makes room for the one that the second has.
    expect(await partOf(one)).toBe(32);
    expect(await partOf(two)).toBe(32);
    expect(await partOf(one)).toBe(32);
  });

  it("of ten are together no more than the maximum, whatever each asks", async () => {
    const { replica } = create();
    const all = Array.from({ length: 10 }, (_, index) => replica(`r${index}`));
    let parts: readonly number[] = [];
    for (let round = 0; round < 3; round += 1) {
      parts = [];
      for (const [index, shares] of all.entries()) {
        parts = [...parts, await partOf(shares, { demand: 1 + index * 7 })];
      }
    }
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(max);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeGreaterThan(max - 10);
    expect(Math.min(...parts)).toBe(1);
    expect(parts[9]).toBeGreaterThan(parts[3]!);
  });

  it("come back from one that is idle at once, and from one that died after its lease", async () => {
    const { one, two, advance } = create();
    await partOf(two);
    await partOf(one);
    await partOf(two, { inFlight: 0, demand: 0 });
    expect(await partOf(one)).toBe(64);
    await partOf(two);
    await partOf(one);
    await partOf(two);
    expect(await partOf(one)).toBe(32);
    await advance(shareLeaseMs + 1);
    expect(await partOf(one)).toBe(64);
  });

  it("of those with few calls leave room, so that the next one that comes need not wait for their reports", async () => {
    const { one, two } = create();
    const few = report({ demand: 4 });
    expect(await one.exchange(few)).toMatchObject({ part: 32, ofAll: 1 });
    expect(await two.exchange(few)).toMatchObject({ part: 16, ofAll: expect.closeTo(1 / 3) });
    expect(await one.exchange(report({ demand: 20 }))).toMatchObject({
      part: 40,
      ofAll: expect.closeTo(40 / 56),
    });
  });

  it("leave room for calls that are in flight still", async () => {
    const { one, two } = create();
    await partOf(one);
    await partOf(two);
    expect(await partOf(one, { inFlight: 50 })).toBe(32);
    expect(await partOf(two)).toBe(14);
  });
});

const at = (limit: number, cuts = 0, isCut = false): CallReport =>
  report({ limits: { list: { limit, cuts, isCut }, batch: start, delete: start } });

describe("learned limits", () => {
  it("grow by the one that has learned most, until somebody cuts", async () => {
    const { one, two } = create();
    await one.exchange(at(30));
    expect((await two.exchange(at(4))).limits.list).toEqual({ limit: 30, cuts: 0 });
    const { cuts } = (await two.exchange(at(15, 0, true))).limits.list;
    expect(cuts).toBeGreaterThan(0);
    // What the first learned before it knew of the cut does not count.
    expect((await one.exchange(at(40))).limits.list).toEqual({ limit: 15, cuts });
    expect((await one.exchange(at(16, cuts))).limits).toEqual({
      list: { limit: 16, cuts },
      batch: { limit: 4, cuts: 0 },
      delete: { limit: 4, cuts: 0 },
    });
  });
});

describe("moments", () => {
  it("are none while no limit is known, and of one that was not named for a minute", async () => {
    const { one, two, advance } = create();
    expect(await one.takeMoments(1)).toBeNull();
    const share = await one.exchange(report({ named: { ...fifty, isUsedUp: false } }));
    expect(share).toMatchObject({ rate: { calls: 50, windowMs: 1_000 }, isPaced: false });
    expect(await two.takeMoments(1)).toHaveLength(1);
    expect(await one.exchange(report({ dlqPerSecond: 40 }))).toMatchObject({ isPaced: true });
    await advance(59_000);
    expect(await one.takeMoments(1)).toHaveLength(1);
    await advance(1_001);
    expect(await one.takeMoments(1)).toBeNull();
    expect(await one.exchange(report({ dlqPerSecond: 40 }))).toMatchObject({ rate: null, isPaced: false });
  });

  it("of a limit with a long window are remembered for twenty windows, or ten minutes", async () => {
    for (const [windowMs, lifeMs] of [
      [10_000, 200_000],
      [60_000, 600_000],
    ] as const) {
      const { one, advance } = create();
      await one.exchange(report({ named: { ...fifty, windowMs } }));
      await advance(lifeMs - 1_000);
      expect(await one.takeMoments(1)).toHaveLength(1);
      await advance(1_001);
      expect(await one.takeMoments(1)).toBeNull();
    }
  });

  it("fill each window of the service up to its limit, away from both its ends, whoever takes them", async () => {
    const { one, two, now, advance } = create();
    const resetAt = now() + 400;
    await one.exchange(report({ named: fifty }));
    await advance(5_000);
    const inWindow: number[] = [];
    const seen = new Set<number>();
    for (let turn = 0; now() < resetAt + 15_000; turn += 1) {
      const shares = turn % 3 === 0 ? one : two;
      // Each script runs twice, so half of the moments are lost.
      for (const inMs of (await shares.takeMoments(1 + (turn % 5))) ?? []) {
        const moment = now() + inMs - resetAt;
        expect(inMs).toBeGreaterThanOrEqual(0);
        expect(((moment % 1_000) + 1_000) % 1_000).toBeGreaterThanOrEqual(39);
        expect(((moment % 1_000) + 1_000) % 1_000).toBeLessThanOrEqual(881);
        expect(seen.has(moment)).toBe(false);
        seen.add(moment);
        inWindow.push(Math.floor(moment / 1_000));
      }
      await advance(37);
    }
    const counts = inWindow.map((window) => inWindow.filter((other) => other === window).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(50);
    expect(Math.max(...counts)).toBeGreaterThan(15);
  });

  it("are fewer in the first second, while some replicas do not take them yet", async () => {
    const one = createRedisCallShares(redis.fresh(), source, "one", max);
    await one.exchange(report({ named: { ...fifty, isUsedUp: false } }));
    const firsts = (await one.takeMoments(200)) ?? [];
    expect(firsts.filter((inMs) => inMs < 2_000).length).toBeLessThan(60);
  });

  it("are fewer after a 429 beside them, and as many again with time", async () => {
    const { one, advance } = create();
    const rateOf = async (named: NamedLimit | null) =>
      (await one.exchange(report({ named, dlqPerSecond: 50 }))).rate;
    await rateOf(fifty);
    await advance(5_000);
    expect(await rateOf(fifty)).toEqual({ calls: 49, windowMs: 1_000 });
    await advance(5_000);
    expect(await rateOf(fifty)).toEqual({ calls: 48, windowMs: 1_000 });
    const shown = { ...fifty, isUsedUp: false };
    for (let turn = 0; turn < 3; turn += 1) {
      await advance(40_000);
      await rateOf(shown);
    }
    expect(await rateOf(shown)).toEqual({ calls: 50, windowMs: 1_000 });
  });

  it("end when little is asked for", async () => {
    const { one, two, advance } = create();
    await one.exchange(report({ named: fifty }));
    await two.takeMoments(1);
    await advance(3_000);
    // The pause after a 429 looks so.
    expect(await one.exchange(report({ dlqPerSecond: 5 }))).toMatchObject({ isPaced: true });
    await advance(7_000);
    expect(await one.exchange(report({ dlqPerSecond: 30 }))).toMatchObject({ isPaced: true });
    expect(await one.exchange(report({ dlqPerSecond: 5 }))).toMatchObject({ isPaced: false });
  });
});
