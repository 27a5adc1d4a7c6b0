/** What a source may have published and not know to be delivered (`maxParallelism`). */
import { expect, test } from "vitest";
import type { CapacityQuery, UndeliveredLimit } from "../../../../../src/job/contracts/capacity.ts";
import type { DrainName } from "../../../../../src/job/contracts/ids.ts";
import { createCapacityStand, query, requests } from "../../../../support/capacity-stands.ts";
import { drain, source } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const limit: UndeliveredLimit = { max: 10, slowMs: 45_000 };
const mayAsk: UndeliveredLimit = { ...limit, asks: true };

/** Each call runs once: a second run of a take takes twice, as its header says. */
function createStand(undelivered: UndeliveredLimit = limit) {
  const { capacity, now, advance } = createCapacityStand(redis.fresh());
  const queryOf = (count: number, of: DrainName = drain): CapacityQuery =>
    query({ drain: of, passId: null, undelivered, requests: requests(count) });
  const take = async (count: number, of?: DrainName) => {
    const answer = await capacity.take(queryOf(count, of));
    const granted = answer.verdicts.filter(({ kind }) => kind === "granted").length;
    return { ...answer, granted };
  };
  return { capacity, take, queryOf, now, advance };
}

test("three times the parallelism is granted, and the rest waits for the service, over all drains", async () => {
  const { take, now } = createStand();
  expect((await take(20)).granted).toBe(20);
  const { granted, verdicts, ask } = await take(20, "other" as DrainName);
  expect(granted).toBe(10);
  expect(ask).toBeUndefined();
  // The first of the ten, when one of thirty has had its 45 s.
  expect(verdicts[10]).toEqual({ kind: "wait", by: "service", until: now() + 1_500 });
});

test("time alone releases no more than what a canary's timeout proves", async () => {
  const { take, advance } = createStand();
  await take(30);
  await advance(15_000);
  expect((await take(30)).granted).toBe(10);
  await advance(3_600_000);
  expect((await take(100)).granted).toBe(30);
});

test("reported deliveries set the pace, by their mean, and no more than the parallelism ends in the fastest", async () => {
  const { capacity, take, advance } = createStand();
  await take(30);
  await capacity.learn(source, limit, { tookMs: 600 });
  await advance(600);
  // Ten at once, and a quarter for the report's own time. By the mean alone it were 30.
  expect((await take(100)).granted).toBe(12);
  await capacity.learn(source, limit, { tookMs: 5_600 });
  await advance(800);
  expect((await take(100)).granted).toBe(15);
});

test("without news the pace falls: a service that stands still gets a few times its parallelism", async () => {
  const { capacity, take, advance } = createStand();
  await capacity.learn(source, limit, { tookMs: 300 });
  let granted = 0;
  for (let seconds = 0; seconds < 60; seconds += 1) {
    granted += (await take(100)).granted;
    await advance(1_000);
  }
  expect(granted).toBeLessThan(30 * limit.max);
});

test("what led to no POST is given back, once, whatever the client repeats", async () => {
  const { capacity, take, queryOf } = createStand();
  const { at } = await take(30);
  await capacity.giveBack(queryOf(4), at);
  expect((await take(30)).granted).toBe(4);
});

test("what waits asks the service, one caller a second, and is released by its answer", async () => {
  const { capacity, take, advance } = createStand(mayAsk);
  const { ask, granted } = await take(40);
  expect([granted, ask]).toEqual([30, { granted: 30 }]);
  expect((await take(40)).ask).toBeUndefined();
  await capacity.learn(source, mayAsk, { load: { count: 7, max: 10 }, granted: 30 });
  expect((await take(40)).granted).toBe(23);
  await advance(1_000);
  expect((await take(1)).ask === undefined).toBe(false);
});

test("what was granted while the service was asked stays undelivered", async () => {
  const { capacity, take } = createStand(mayAsk);
  await take(25);
  await take(5);
  await capacity.learn(source, mayAsk, { load: { count: 3, max: 10 }, granted: 25 });
  expect((await take(100)).granted).toBe(22);
});

test("an answer that messages wait releases nothing", async () => {
  const { capacity, take } = createStand(mayAsk);
  await take(30);
  await capacity.learn(source, mayAsk, { tookMs: 400 });
  await capacity.learn(source, mayAsk, { load: { count: 10, max: 10 }, granted: 30 });
  expect((await take(30)).granted).toBe(0);
});

test("a service that keeps up shows its pace", async () => {
  const { capacity, take, advance } = createStand(mayAsk);
  await take(30);
  await capacity.learn(source, mayAsk, { load: { count: 0, max: 10 }, granted: 30 });
  await advance(1_000);
  await take(30);
  await capacity.learn(source, mayAsk, { load: { count: 0, max: 10 }, granted: 60 });
  expect((await take(100)).granted).toBe(30);
  // A second for thirty: time alone releases half of them in half of it.
  await advance(500);
  expect((await take(100)).granted).toBe(15);
});
