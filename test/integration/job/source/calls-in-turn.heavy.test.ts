import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { startReplica, startSlowService, type Replica } from "../../../support/call-replicas.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const limitOf = (one: Replica): number => one.shown.at(-1)?.limits.list ?? 0;

/** A pause of the source takes 20 s, and other tests may stop this process for a while. */
const patient = { timeout: 45_000 };

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
