import { beforeEach, describe, expect, test } from "vitest";
import type { AutoRate } from "../../../../../src/job/contracts/auto-rate.ts";
import type { Capacity, CapacityQuery } from "../../../../../src/job/contracts/capacity.ts";
import {
  createCapacityStand,
  granted,
  query,
  requests,
  type CapacityStand,
} from "../../../../support/capacity-stands.ts";
import { otherDrain } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const watchMs = 10_000;
const hourMs = 3_600_000;
const auto: AutoRate = { fromPerSecond: 10, toPerSecond: 100, watchMs };
const host = "api.example.com";
const create = () => createCapacityStand(redis.fresh());

const asking = (count: number, over: Partial<CapacityQuery> = {}): CapacityQuery =>
  query({ limits: { perHost: auto }, requests: requests(count), ...over });

async function rateOf(capacity: Capacity, of = asking(0), wanted = host): Promise<number | undefined> {
  return (await capacity.learned(of, 100)).find((one) => one.host === wanted)?.perSecond;
}

/** Publishes as much as is granted, or `perSecond`, for so many seconds. Answers what was granted in each. */
async function publish(
  { capacity, advance }: CapacityStand,
  seconds: number,
  { perSecond = 100, over = {} }: { perSecond?: number; over?: Partial<CapacityQuery> } = {},
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    counts.push(await granted(capacity, asking(perSecond, over)));
    await advance(1_000);
  }
  return counts;
}

const plain = (...parents: readonly string[]) =>
  parents.map((parentDlqId) => ({ host, parentDlqId, isCanary: false }));
const canary = (...parents: readonly string[]) =>
  plain(...parents).map((one) => ({ ...one, isCanary: true }));
const many = (count: number, of = "plain") => Array.from({ length: count }, (_, index) => `${of}-${index}`);

let stand: Awaited<ReturnType<typeof create>>;
beforeEach(() => {
  stand = create();
});

describe("a learned rate", () => {
  test("begins low and doubles with each silent watch, up to its end", async () => {
    const counts = await publish(stand, 60);
    const perWatch = [0, 10, 20, 30, 40, 50].map((second) => counts[second + 5]);
    expect(perWatch).toEqual([10, 20, 40, 80, 100, 100]);
    expect(counts.slice(0, 10)).toEqual(Array(10).fill(10));
    expect(counts.slice(50)).toEqual(Array(10).fill(100));
  });

  test("is one for all replicas, and another for each host and drain", async () => {
    await publish(stand, 25);
    expect(await rateOf(stand.twin)).toBe(40);
    expect(await granted(stand.twin, asking(100))).toBe(40);
    expect(await granted(stand.twin, asking(100, { requests: requests(100, { host: "b" }) }))).toBe(10);
    expect(await granted(stand.twin, asking(100, { drain: otherDrain }))).toBe(10);
  });

  test("does not double for a host that used less than half of it", async () => {
    await publish(stand, 12, { perSecond: 4 });
    expect(await rateOf(stand.capacity)).toBe(10);
    await publish(stand, 20, { perSecond: 5 });
    expect(await rateOf(stand.capacity)).toBe(20);
  });

  test("does not double by what was granted and not published", async () => {
    const over = { requests: requests(10, { isCanary: true }) };
    for (let second = 0; second < 35; second += 1) {
      const { at } = await stand.capacity.take(asking(10, over));
      await stand.twin.giveBack(asking(10, over), at);
      await stand.advance(1_000);
    }
    await publish(stand, 1, { perSecond: 1 });
    expect(await rateOf(stand.capacity)).toBe(10);
  });

  test("halves when messages fail again, once in a watch, and does not double in that watch", async () => {
    await publish(stand, 41);
    expect(await rateOf(stand.capacity)).toBe(100);
    await stand.capacity.failedAgain(asking(0), plain(...many(100)));
    expect(await rateOf(stand.twin)).toBe(50);
    await stand.twin.failedAgain(asking(0), plain(...many(100, "later")));
    const counts = await publish(stand, 22);
    expect([counts[1], counts[11], counts[21]]).toEqual([50, 50, 100]);
  });

  test("is halved by more than a twentieth of the canaries, which are few", async () => {
    const over = { requests: [...requests(2, { isCanary: true }), ...requests(98)] };
    await publish(stand, 21, { over });
    expect(await rateOf(stand.capacity)).toBe(40);
    // Two of the 20 canaries of its watch. Seen by a pass and by a listing check, each is still one.
    await stand.capacity.failedAgain(asking(0), canary("a"));
    await stand.capacity.failedAgain(asking(0), canary("a"));
    expect(await rateOf(stand.capacity)).toBe(40);
    await stand.capacity.failedAgain(asking(0), canary("b"));
    expect(await rateOf(stand.capacity)).toBe(20);
  });

  test("stays as it is while a few fail again: those may be bad at any rate", async () => {
    await publish(stand, 11);
    expect(await rateOf(stand.capacity)).toBe(20);
    for (const parent of ["a", "b", "c"]) {
      await stand.capacity.failedAgain(asking(0), plain(parent));
      const counts = await publish(stand, 10);
      expect(counts).toEqual(Array(10).fill(20));
    }
    await publish(stand, 11);
    expect(await rateOf(stand.capacity)).toBe(40);
  });

  test("never falls below a tenth of its beginning, and recovers", async () => {
    for (let second = 0; second < 45; second += 1) {
      await publish(stand, 1);
      await stand.capacity.failedAgain(asking(0), plain(...many(10, `of-${second}`)));
    }
    expect(await rateOf(stand.capacity)).toBe(1);
    const { verdicts } = await stand.capacity.take(asking(3));
    expect(verdicts.at(-1)).toEqual({
      kind: "wait",
      by: "host",
      until: expect.any(Number) as number,
      perSecond: 1,
    });
    await publish(stand, 70);
    expect(await rateOf(stand.capacity)).toBeGreaterThanOrEqual(32);
  });

  test("is forgotten by an hour without publishes, whatever fails meanwhile", async () => {
    const connection = redis.fresh();
    const stand = createCapacityStand(connection);
    await publish(stand, 25);
    await stand.capacity.failedAgain(asking(0), plain("late"));
    const [key] = (await connection.command("KEYS", `${connection.keyPrefix}:*:auto:*`)) as string[];
    const life = Number(await connection.command("PTTL", key ?? ""));
    expect(life).toBeGreaterThan(hourMs - 10_000);
    expect(life).toBeLessThanOrEqual(hourMs);
    await connection.command("DEL", key ?? "");
    expect(await granted(stand.capacity, asking(100))).toBe(10);
  });

  test("follows bounds that a document changes", async () => {
    await publish(stand, 45);
    const lower = { limits: { perHost: { ...auto, toPerSecond: 30 } } };
    expect(await granted(stand.twin, asking(100, lower))).toBe(30);
  });

  test("of a host that failed before anything is known of it is not there", async () => {
    await stand.capacity.failedAgain(asking(0), plain("a"));
    expect(await stand.capacity.learned(asking(0), 10)).toEqual([]);
  });
});
