import { describe, expect, it, onTestFinished } from "vitest";
import { openAuditReader } from "../../../../../src/job/compose/open-readers.ts";
import type { DrainName, PlanId } from "../../../../../src/job/contracts/ids.ts";
import { applyToEnd, makeHere, planOf, startDesk, type DeskOptions } from "../../../../support/desk-stand.ts";
import { load } from "../../../../support/loaded-document.ts";
import { createPlanStand, outageDocument } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";
import { createTcpProxy } from "../../../../support/tcp-proxy.ts";

const redis = useRedis();

const order = { by: "ada", why: "the receiver is up again" };
/** Batches of ten, one after the other, so that an apply is long enough to be met in the middle. */
const slowly = { "publish.maxItems": 10 };

async function setUp(document = outageDocument) {
  const stand = await createPlanStand(redis.url(), { document });
  return {
    ...stand,
    replica: (settings: DeskOptions["settings"] = {}) => startDesk({ env: stand.env, document, settings }),
    /** Each body was delivered once, and nothing is left. */
    async expectDelivered(count: number) {
      await stand.emulator.idle();
      expect(stand.receiver.counts().size).toBe(count);
      expect(stand.receiver.deliveries).toHaveLength(count);
    },
  };
}

describe("a plan that the replicas share", () => {
  it("is applied and still looked after until a person or a shutdown ends that", async () => {
    const document = outageDocument.replace(
      "lane: none",
      "lane: { canary: 5, watch: 10m, haltAt: 20%, probeEvery: 15m }",
    );
    const stand = await setUp(document);
    const [one, two] = [await stand.replica(), await stand.replica()];
    const ends = [(id: PlanId) => two.desk.stop(id, order), () => one.shutDown()];
    // The lane of the first is watched until then.
    const urls = [stand.receiver.url, stand.receiver.url.replace("127.0.0.1", "localhost")];
    for (const [index, end] of ends.entries()) {
      stand.seed(5, { url: `${urls[index]}/orders` });
      const id = await makeHere(one);
      await one.desk.apply(id, order);
      const verdict = async () => (await planOf(two, id)).apply?.drains[0]?.verdict?.state;
      await expect.poll(verdict).toBe("following");
      // Its work is done: who looks would see the same without it.
      expect(await planOf(two, id)).toMatchObject({
        state: "applying",
        apply: { drains: [{ left: 0, done: 5 }] },
      });
      await end(id);
      await one.desk.settled();
      expect(await planOf(two, id)).toMatchObject({
        state: "applied",
        apply: {
          drains: [{ failedAgain: 0, verdict: { state: "stopped", sent: 5, silent: 5, isBad: false } }],
        },
      });
    }
  });

  it("pressed by two replicas at once is applied by one; the other is told who applies", async () => {
    const stand = await setUp();
    stand.seed(300);
    stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 100 });
    const replicas = [await stand.replica(slowly), await stand.replica(slowly)];
    const id = await makeHere(replicas[0]!);
    const other = await makeHere(replicas[1]!, { limit: 5 });
    const answers = await Promise.allSettled([
      replicas[0]!.desk.apply(id, order),
      replicas[1]!.desk.apply(id, { ...order, by: "bob" }),
    ]);
    const refusals = answers.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatch(
      /(ada|bob) applies plan [\da-f]{8} of drain orders already, in replica replica-\w+, and one plan of a drain is applied at a time: wait for its end, or stop it \(redriver plans stop [\da-f]{8}\) and apply the rest of it later/,
    );
    // Nor is another plan of the same drain.
    for (const { desk } of replicas) await expect(desk.apply(other, order)).rejects.toThrow(/already/);
    await Promise.all(replicas.map(({ desk }) => desk.settled()));
    expect(await planOf(replicas[0]!, id)).toMatchObject({ state: "applied" });
    await stand.expectDelivered(300);
    await replicas[1]!.desk.apply(other, order);
    await replicas[1]!.desk.settled();
    expect((await planOf(replicas[1]!, other)).apply?.drains).toMatchObject([{ before: 5, left: 0 }]);
    await stand.expectDelivered(300);
  });

  it("ends with its replica's shutdown at a batch's end, and says so", async () => {
    const stand = await setUp();
    stand.seed(300);
    stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 100 });
    const [one, two] = [await stand.replica(slowly), await stand.replica()];
    const id = await makeHere(one);
    await one.desk.apply(id, order);
    await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
    await one.shutDown();
    const { state, why, apply } = await planOf(two, id);
    expect(state).toBe("interrupted");
    expect(why).toBe(`orders: stopped: its replica is shut down, ${apply!.drains[0]!.left} left`);
    await expect(one.desk.apply(id, order)).rejects.toThrow(/is being shut down/);
    await two.desk.apply(id, order);
    await two.desk.settled();
    await stand.expectDelivered(300);
  });

  it("ends when Redis goes away, and is applied again once it is back", async () => {
    const stand = await setUp();
    stand.seed(300);
    stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 100, name: "slow" });
    const { hostname: host, port } = new URL(redis.url());
    const path = await createTcpProxy({ host, port: Number(port) });
    onTestFinished(() => path.close());
    const sendSoon = { "ledger.sendBy": "1s", "service.batchTimeout": "1s" };
    const env = { ...stand.env, REDRIVER_REDIS_URL: `redis://127.0.0.1:${path.port}` };
    const cutOff = await startDesk({ env, document: outageDocument, settings: { ...slowly, ...sendSoon } });
    const other = await stand.replica(sendSoon);
    const id = await makeHere(other);
    await cutOff.desk.apply(id, order);
    await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
    await path.cut();
    const { accepted } = stand.emulator.journal.counts();
    expect(accepted).toBeLessThan(300);
    await cutOff.desk.settled();
    expect(stand.emulator.dlq.size).toBeGreaterThan(0);
    expect(await planOf(other, id)).toMatchObject({
      state: "interrupted",
      why: `replica ${cutOff.name} has ended, or has lost Redis`,
    });
    await path.heal();
    stand.emulator.faults.remove("slow");
    await applyToEnd(other, id, order);
    await stand.expectDelivered(300);
  }, 120_000);

  it("that changed its document in the middle ends at a batch's end", async () => {
    const stand = await setUp();
    stand.seed(300);
    stand.emulator.faults.add({ kind: "latency", operation: "batch", ms: 100 });
    const here = await stand.replica(slowly);
    const id = await makeHere(here);
    await here.desk.apply(id, order);
    await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
    here.live.adopt(load(outageDocument.replace("minAge: 1s", "minAge: 2s")).document);
    await here.desk.settled();
    const { state, why } = await planOf(here, id);
    expect(state).toBe("interrupted");
    expect(why).toMatch(/the drains document changed drain orders, \d+ left$/);
    await here.desk.apply(id, order);
    await here.desk.settled();
    await stand.expectDelivered(300);
  });

  it("is stopped while it is made, and cannot be applied then", async () => {
    const stand = await setUp();
    stand.seed(1_000);
    stand.emulator.faults.add({ kind: "latency", operation: "list", ms: 400 });
    const [one, two] = [await stand.replica(), await stand.replica()];
    const id = await one.desk.make({ drains: ["orders" as DrainName], filter: {}, by: "ada" });
    await expect(one.desk.make({ drains: ["orders" as DrainName], filter: {}, by: "ada" })).rejects.toThrow(
      /making a plan already/,
    );
    await expect
      .poll(async () => (await planOf(two, id)).making?.listed, { interval: 50 })
      .toBeGreaterThan(0);
    await expect(two.desk.remove(id, { by: "bob" })).rejects.toThrow(/is being worked on/);
    await two.desk.stop(id, { by: "bob", why: "too slow" });
    await one.desk.settled();
    expect(await planOf(two, id)).toMatchObject({ state: "interrupted", why: "stopped by bob", made: null });
    await expect(two.desk.apply(id, order)).rejects.toThrow(/is not whole/);
    await two.desk.remove(id, { by: "bob", why: "not needed" });
    expect(await two.desk.list()).toEqual([]);
    await expect(two.desk.show(id)).rejects.toThrow(/there is no plan/);
    const acts = [];
    const reader = openAuditReader(two.live.current());
    for await (const { act, by, why } of reader.read({ order: "oldest-first" })) acts.push([act, by, why]);
    // What was refused is no act.
    expect(acts).toEqual([
      ["plan-make", "ada", `plan ${id}`],
      ["plan-stop", "bob", `plan ${id}: too slow`],
      ["plan-remove", "bob", `plan ${id}: not needed`],
    ]);
  });
});
