import { expect, it } from "vitest";
import { keptSamples } from "../../../../../src/job/contracts/queue-series.ts";
import { sharedKey } from "../../../../../src/job/redis/key-prefix.ts";
import { createRedisQueueSeries } from "../../../../../src/job/store/series/redis-queue-series.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
// A minute that no full hour is near, and one that is a full ten.
const now = 29_000_000 + 30;

const sampleOf = (waiting: number) => ({ waiting, parked: 1, arrived: 2, published: 3, failedAgain: 4 });

it("of two replicas one takes the sample of a minute, and the hour has the kinds of its last", async () => {
  const series = createRedisQueueSeries(redis.fresh());
  expect(await series.has(now)).toBe(false);
  await series.add(now, sampleOf(7), { "default a": [1, 0] });
  await series.add(now, sampleOf(9), { "default a": [2, 0] });
  await series.add(now + 1, sampleOf(8), { "default a": [3, 1] });
  const timed = { ...sampleOf(6), at: (now + 2) * 60_000 + 20_400 };
  await series.add(now + 2, timed, { "default a": [3, 1] });
  expect(await series.has(now)).toBe(true);
  expect(await series.read([now - 1, now, now + 1, now + 2])).toEqual([
    null,
    sampleOf(7),
    sampleOf(8),
    timed,
  ]);
  const hour = Math.floor(now / 60);
  expect(await series.readKinds([hour - 1, hour])).toEqual([null, { "default a": [3, 1] }]);
  expect(await series.read([])).toEqual([]);
});

it("keeps minutes for six hours and every tenth for a week, also after nobody has sampled for long", async () => {
  const connection = redis.fresh();
  const series = createRedisQueueSeries(connection);
  const key = sharedKey(connection.keyPrefix, "queue-series");
  const isThere = async (minute: number): Promise<boolean> => (await series.read([minute]))[0] !== null;
  await series.add(now, sampleOf(1), {});
  await series.add(now + 1, sampleOf(2), {});
  await series.add(now + 1 + keptSamples.minutes + 1, sampleOf(3), {});
  expect([await isThere(now), await isThere(now + 1)]).toEqual([true, false]);
  // Two weeks later: what nobody has taken away minute by minute goes with the next full hour.
  const later = (Math.ceil(now / 60) + 14 * 24) * 60;
  await series.add(later, sampleOf(4), { "default a": [1, 1] });
  expect(await connection.command("HLEN", key)).toBe(2);
  expect(Number(await connection.command("PTTL", key))).toBeGreaterThan(keptSamples.everyTenth * 60_000);
});

it("what another build wrote is no sample", async () => {
  const connection = redis.fresh();
  const series = createRedisQueueSeries(connection);
  const key = sharedKey(connection.keyPrefix, "queue-series");
  const texts = ["[1,2]", "{}", "no json", '["a",1,2,3,4]', "[1,2,3,4,null]", "null"];
  for (const [index, text] of texts.entries()) await connection.command("HSET", key, String(index), text);
  await connection.command("HSET", key, "h1", "[1]");
  expect(await series.read(texts.map((_, index) => index))).toEqual(texts.map(() => null));
  expect(await series.readKinds([1])).toEqual([null]);
});
