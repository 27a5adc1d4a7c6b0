import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/system-world.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { shareLeaseMs } from "../../../../src/job/contracts/call-shares.ts";
import type { ServiceOperation } from "../../../../src/job/contracts/events.ts";
import {
  startReplica,
  startSlowService,
  type Replica,
  type SlowService,
} from "../../../support/call-replicas.ts";
import { useRedis } from "../../../support/redis.ts";
import type { RedisConnection } from "../../../../src/job/redis/connect.ts";

const redis = useRedis();
const all: readonly ServiceOperation[] = ["list", "batch", "delete"];
const limitOf = (one: Replica): number => one.shown.at(-1)?.limits.list ?? 0;

/** A pause of the source takes 20 s, and other tests may stop this process for a while. */
const patient = { timeout: 45_000 };

/** The most in flight during the next `ms`. */
async function peakWithin(service: SlowService, ms: number): Promise<number> {
  service.peak = service.inFlight;
  await systemClock.sleep(ms);
  return service.peak;
}

const toSecond = (at: number): number => Math.floor(at / 1_000);
const secondsFrom = (first: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - first) }, (_, index) => first + index);
const wasRefused = ({ status }: { readonly status: number }): boolean => status === 429;

/**
 * Waits for so many seconds in which this process and its Redis were never late by 100 ms, nor in the second before: a call's
 * moment is in the first 88 % of a second, and other tests may stop the machine for longer. Answers these seconds.
 */
async function seePunctual(shared: RedisConnection, count: number): Promise<readonly number[]> {
  const late = new Set<number>();
  const first = toSecond(Date.now()) + 1;
  let punctual: readonly number[] = [];
  while (punctual.length < count) {
    const began = Date.now();
    await shared.command("PING");
    await systemClock.sleep(20);
    const now = Date.now();
    if (now - began > 120)
      for (const second of secondsFrom(toSecond(began), toSecond(now) + 2)) late.add(second);
    punctual = secondsFrom(first, toSecond(now)).filter((second) => !late.has(second));
  }
  return punctual;
}

describe("one replica's calls in flight", () => {
  it("go alone at once, and nothing asks Redis for them while they come one by one", async () => {
    const service = await startSlowService();
    const shared = redis.fresh();
    let asked = 0;
    const run: typeof shared.run = (script, ...call) => {
      if (script.name.startsWith("call-shares")) asked += 1;
      return shared.run(script, ...call);
    };
    const one = startReplica({ ...shared, run }, service);
    for (let call = 0; call < 3; call += 1) await one.service.list({ select: {}, count: 1 });
    expect(service.calls).toHaveLength(3);
    expect(asked).toBe(0);
  });

  it("are few while calls fail, and many again afterwards", async () => {
    const service = await startSlowService({ latencyMs: 100 });
    const one = startReplica(redis.fresh(), service);
    one.work(40);
    await expect.poll(() => limitOf(one), patient).toBeGreaterThanOrEqual(24);
    service.failing = 0.3;
    await expect.poll(() => limitOf(one), patient).toBeLessThanOrEqual(4);
    service.failing = 0;
    await expect.poll(() => limitOf(one), patient).toBeGreaterThanOrEqual(16);
  });

  it("that wait go on to their end when they are stopped", async () => {
    const service = await startSlowService({ latencyMs: 60_000 });
    const one = startReplica(redis.fresh(), service);
    one.work(8);
    await expect.poll(() => service.inFlight).toBeGreaterThan(0);
    const stop = new AbortController();
    const listing = one.service.list({ select: {}, count: 1 }, stop.signal);
    const publishing = one.service.publish(["{}"], () => true, stop.signal);
    stop.abort();
    await expect(listing).rejects.toMatchObject({ code: "stopped" });
    expect(await publishing).toMatchObject({ kind: "not-sent", why: "stopped" });
  });

  it("are deletes and batches before lists, and now and then a list", async () => {
    const service = await startSlowService({ latencyMs: 20 });
    const one = startReplica(redis.fresh(), service, 1);
    one.work(10, ["list"]);
    one.work(4, ["delete"]);
    one.work(4, ["batch"]);
    await expect.poll(() => service.calls.length).toBeGreaterThan(100);
    const lists = service.calls.slice(20).filter(({ operation }) => operation === "list").length;
    expect(lists / (service.calls.length - 20)).toBeGreaterThan(0.08);
    expect(lists / (service.calls.length - 20)).toBeLessThan(0.25);
    await one.service.remove(["1-0" as DlqId]);
  });
});

describe("several replicas", () => {
  it("have no more in flight than one, and a dead one's part is the others' within seconds", async () => {
    const service = await startSlowService({ latencyMs: 40 });
    const shared = redis.fresh();
    const replicas = Array.from({ length: 10 }, () => startReplica(shared, service, 20));
    for (const one of replicas) one.work(20, all);
    // A replica that begins has one call before the others give it room.
    await systemClock.sleep(2_500);
    expect(await peakWithin(service, 2_000)).toBeLessThanOrEqual(20);
    for (const one of replicas.slice(1)) one.die();
    await systemClock.sleep(shareLeaseMs + 1_500);
    expect(await peakWithin(service, 2_000)).toBeGreaterThan(10);
  });

  it("learn of each other's failures within seconds", async () => {
    const service = await startSlowService({ latencyMs: 100 });
    const failing = await startSlowService({ latencyMs: 100 });
    const shared = redis.fresh();
    const well = startReplica(shared, service);
    const ill = startReplica(shared, failing);
    well.work(40);
    ill.work(40);
    await expect.poll(() => limitOf(well), patient).toBeGreaterThanOrEqual(20);
    failing.failing = 0.5;
    // Alone it takes two.
    await expect.poll(() => limitOf(well), { interval: 20, timeout: 10_000 }).toBeLessThanOrEqual(12);
  });

  it.each([1, 4])("%i under a limit of 50 a second use it and meet it once", async (count) => {
    const service = await startSlowService({ latencyMs: 5, perSecond: 50 });
    const shared = redis.fresh();
    const replicas = Array.from({ length: count }, () => startReplica(shared, service));
    for (const one of replicas) one.work(12, ["list", "delete"]);
    await expect.poll(() => service.calls.some(({ status }) => status === 429)).toBe(true);
    // The pause after it, and the second in which all learn of it.
    await systemClock.sleep(3_000);
    const seconds = await seePunctual(shared, 5);
    const at = (second: number): readonly SlowService["calls"][number][] =>
      service.calls.filter((call) => toSecond(call.at) === second);
    expect(seconds.flatMap(at).filter(wasRefused).length).toBeLessThanOrEqual(2);
    expect(Math.max(...seconds.map((second) => at(second).length))).toBeGreaterThanOrEqual(30);
    expect(seconds.flatMap(at).length).toBeGreaterThanOrEqual(0.4 * 250);
    const refusing = new Set(service.calls.filter(wasRefused).map((call) => toSecond(call.at)));
    // Each second with a 429 takes a fiftieth of the limit away.
    expect(replicas[0]?.shown.at(-1)?.dlqPerSecond).toBeGreaterThanOrEqual(50 - refusing.size);
  });

  it("ask Redis for no moments while they need little of a limit", async () => {
    const service = await startSlowService({ latencyMs: 100, perSecond: 1_000, isNamedAlways: true });
    const shared = redis.fresh();
    let moments = 0;
    const run: typeof shared.run = (script, ...call) => {
      if (script.name === "call-shares:take") moments += 1;
      return shared.run(script, ...call);
    };
    startReplica({ ...shared, run }, service).work(4);
    await expect.poll(() => service.calls.length).toBeGreaterThan(60);
    expect(moments).toBe(0);
    service.perSecond = 20;
    await expect.poll(() => moments).toBeGreaterThan(0);
    expect(service.calls.filter(({ status }) => status === 429).length).toBeLessThan(10);
  });
});
