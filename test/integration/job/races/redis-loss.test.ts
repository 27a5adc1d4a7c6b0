/** Redis goes away, or loses what it had, in the middle of a redrive. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import {
  deadAt,
  drainThat,
  stallPage,
  takeoverMs,
  twoOn,
  useRaces,
  type RaceStand,
  type Worker,
} from "../../../support/race-stand.ts";
import { useRedis } from "../../../support/redis.ts";
import { createTcpProxy, type TcpProxy } from "../../../support/tcp-proxy.ts";

const redis = useRedis();
const stand = useRaces(redis);

async function createProxy(): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const url = new URL(redis.url());
  const proxy = await createTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: url.href };
}

/** A drain that parks what may have been published before a loss, if anybody notices the loss. */
const parksAfterLoss = drainThat("republish", "afterLedgerLoss: park");

describe("Redis goes away between the answer and the fact", () => {
  it("R30 after one attempt to write it is deleted all the same, and the fact is written when Redis answers again", async () => {
    const race = await stand();
    const { proxy, url } = await createProxy();
    const a = await race.worker({ redisUrl: url });
    const ids = race.seed(2);
    const scripts: string[] = [];
    a.onScript(({ name }) => Promise.resolve(void scripts.push(name)));
    const answered = await stallPage(a, "publish", "after");
    await proxy.cut();
    expect(await answered.goOn()).toMatchObject({ tally: { republished: 2, deleted: 2 } });
    expect(race.rig.emulator.dlq.size).toBe(0);
    expect(scripts.filter((name) => name === "ledger:published")).toHaveLength(1);
    expect(await race.states(ids)).toEqual(["open", "open"]);

    await proxy.heal();
    await a.rig.core.redis.ready(5_000);
    await a.sweep();
    expect(await race.states(ids)).toEqual(["published", "published"]);
    await race.wait(takeoverMs + 1);
    await (await race.worker()).sweep();
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    await expectDrainedOnce(race.rig, 2);
  });

  it("R31 and the delete fails too: another takes over, and the fact that is replayed after it doubles nothing", async () => {
    const race = await stand();
    const { proxy, url } = await createProxy();
    const [a, b] = [await race.worker({ redisUrl: url }), await race.worker()];
    const ids = race.seed(2);
    race.rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 });
    const answered = await stallPage(a, "publish", "after");
    await proxy.cut();
    expect(await answered.goOn()).toMatchObject({ tally: { republished: 2, deleted: 0 } });
    await race.wait(takeoverMs + 1);
    expect(await b.page()).toMatchObject({ tally: { republished: 2, deduplicated: 2, deleted: 2 } });
    await proxy.heal();
    await a.rig.core.redis.ready(5_000);
    await a.page();
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    expect([...a.rig.eventsOf("double:found"), ...b.rig.eventsOf("double:found")]).toEqual([]);
    await expectDrainedOnce(race.rig, 2);
  });
});

describe("Redis loses everything", () => {
  it.each([
    ["between begin and POST", "publish", "before"],
    ["between POST and fact", "publish", "after"],
    ["between fact and delete", "remove", "before"],
    ["between delete and tombstone", "remove", "after"],
  ] as const)(
    "R32 %s: inside the window another one's hit heals it, and both end well",
    async (_name, call, moment) => {
      const { race, a, b } = await twoOn(stand(), 2);
      const stalled = await stallPage(a, call, moment);
      await race.loseEverything();
      await b.page();
      await stalled.goOn();
      expect(new Set(race.posts.flatMap(({ ids }) => ids)).size).toBe(2);
      await expectDrainedOnce(race.rig, 2);
    },
  );

  it.each([
    ["as long as every publish of it would be a hit it is published, and is one", 0, 1, 0],
    ["a moment later it is the policy's", 1, 0, 1],
  ] as const)(
    "R34 and somebody noticed, with a record published and not deleted: %s",
    async (_name, lateMs, deduplicated, parked) => {
      const { race, a, b, id } = await twoOn(stand({ drain: parksAfterLoss }), 1);
      await stallPage(a, "remove", "before");
      await b.drain.source.ledger.now();
      await race.loseEverything();
      await b.drain.source.ledger.now();
      await expect.poll(async () => (await race.ledger.now()).lost).toBeDefined();
      const { dedupWindowMs, settleGateAgeMs, sendByMs, networkDelayMs } = race.ledger.limits;
      await race.wait(dedupWindowMs - sendByMs - networkDelayMs - 45_000 - settleGateAgeMs + lateMs);
      expect(await b.page()).toMatchObject({ tally: { deduplicated, parked } });
      expect(race.rig.emulator.journal.counts().accepted).toBe(1);
      expect(await race.states([id])).toEqual([parked === 1 ? "parked" : "gone"]);
    },
  );
});

describe("Redis loses everything while no worker runs", () => {
  it.each([
    ["as long as the service knows its id, its next publish is a hit", 0, 1, 1],
    ["afterwards it is sent again, and nobody declares that", 1, 0, 2],
  ] as const)(
    "R58 with a record published and not deleted: %s",
    async (_name, lateMs, deduplicated, accepted) => {
      const { race } = await deadAt(stand({ drain: parksAfterLoss }), 1, "remove", "before");
      await race.loseEverything();
      await race.wait(race.ledger.limits.dedupWindowMs - 1_000 + 2_000 * lateMs);
      const b = await race.worker();
      expect(await b.page()).toMatchObject({
        tally: { republished: 1, deduplicated, parked: 0, deleted: 1 },
      });
      expect(race.rig.emulator.journal.counts().accepted).toBe(accepted);
      expect(b.rig.eventsOf("ledger:lost-writes")).toEqual([]);
      expect(b.rig.eventsOf("double:declared")).toEqual([]);
    },
  );

  it("R59 with a record published under its second id: its next publish has the first, so it is sent again at once", async () => {
    const race = await stand({ drain: parksAfterLoss });
    const [id] = race.seed(1) as [DlqId];
    race.rig.emulator.faults.add({ kind: "item-error", positions: [0], count: 1 });
    await (await race.worker()).page();
    await race.wait(race.ledger.limits.dedupWindowMs + 1);
    await stallPage(await race.worker(), "remove", "before");
    await race.loseEverything();
    const last = await race.worker();
    expect(await last.page()).toMatchObject({ tally: { republished: 1, deduplicated: 0, deleted: 1 } });
    expect(race.posts.map(({ ids }) => ids)).toEqual([
      [`redriver-${id}`],
      [`redriver-${id}-2`],
      [`redriver-${id}`],
    ]);
    expect(race.rig.emulator.journal.counts().accepted).toBe(2);
  });
});

describe("Redis loses everything between a look and its begin", () => {
  it("R65 with a record that another one has published under its second id: nothing is begun, and the policy decides", async () => {
    const race = await stand({ drain: parksAfterLoss });
    const [id] = race.seed(1) as [DlqId];
    race.rig.emulator.faults.add({ kind: "item-error", positions: [0], count: 1 });
    await (await race.worker()).page();
    await race.wait(race.ledger.limits.dedupWindowMs + 1);
    const looked = await race.worker();
    const beginning = await stallPage(looked, "begin", "before");
    await stallPage(await race.worker(), "remove", "before");
    await race.loseEverything();
    expect(await beginning.goOn()).toMatchObject({ tally: { republished: 0, deleted: 0 } });
    expect(looked.rig.eventsOf("ledger:lost-writes")).toHaveLength(1);
    await expect.poll(async () => (await race.ledger.now()).lost).toBeDefined();
    expect(await looked.page()).toMatchObject({ tally: { republished: 0, parked: 1 } });
    expect(race.posts.map(({ ids }) => ids)).toEqual([[`redriver-${id}`], [`redriver-${id}-2`]]);
    expect(race.rig.emulator.journal.counts().accepted).toBe(1);
  });
});

async function noticedBy(race: RaceStand, onlooker: Worker): Promise<void> {
  await onlooker.drain.source.ledger.now();
  await expect.poll(async () => (await race.ledger.now()).lost).toBeDefined();
}

/** What the page of a new worker does, and what was accepted in all. */
async function endOf(race: RaceStand) {
  const { republished, parked } = (await (await race.worker()).page()).tally;
  return { republished, parked, accepted: race.rig.emulator.journal.counts().accepted };
}

/** Published and not deleted. */
async function lostAfterPublish(letters = 1) {
  const race = await stand({ drain: parksAfterLoss });
  race.seed(letters);
  const onlooker = await race.worker();
  await onlooker.drain.source.ledger.now();
  await stallPage(await race.worker(), "remove", "before");
  await race.loseEverything();
  await noticedBy(race, onlooker);
  return { race, onlooker };
}

describe("Redis loses what tells of a publication, and somebody noticed", () => {
  it.each([429, 400])(
    "R66 a refusal since then (%i) gives it no later id, which nobody knows: the policy decides",
    async (status) => {
      const { race } = await lostAfterPublish(2);
      race.rig.emulator.faults.add({ kind: "status", operation: "batch", status, count: 1 });
      expect(await (await race.worker()).page()).toMatchObject({ tally: { republished: 0, parked: 0 } });
      await race.wait(takeoverMs);
      expect(await endOf(race)).toEqual({ republished: 0, parked: 2, accepted: 2 });
    },
  );

  it("R67 a rule that has parked it since then, and does so no more, leaves it to the policy", async () => {
    const { race } = await lostAfterPublish();
    await (await race.worker({ drain: drainThat("park") })).page();
    await race.wait(race.ledger.limits.dedupWindowMs + 1);
    expect(await endOf(race)).toEqual({ republished: 0, parked: 1, accepted: 1 });
  });

  it("R72 a rule that sends it by the service's own retry since then leaves it to the policy: no id could be hit", async () => {
    const { race } = await lostAfterPublish();
    const own = parksAfterLoss.replace("then: republish", "then: republish, via: service");
    const last = await race.worker({ drain: own, source: "{ serviceRetry: true }" });
    expect(await last.page()).toMatchObject({ tally: { republished: 0, parked: 1 } });
    expect(race.rig.emulator.journal.counts().accepted).toBe(1);
  });

  it("R68 a begin since then whose POST never came is not reconciled when its id may be forgotten", async () => {
    const { race } = await lostAfterPublish();
    await race.wait(290_000);
    await stallPage(await race.worker(), "publish", "before");
    await race.wait(360_000);
    expect(await endOf(race)).toEqual({ republished: 0, parked: 1, accepted: 1 });
  });

  it("R69 a failover to between the begin of a batch and those of its halves: the first id is not reconciled", async () => {
    const race = await stand({ drain: parksAfterLoss });
    race.seed(2);
    const [a, onlooker] = [await race.worker(), await race.worker()];
    const posting = await stallPage(a, "publish", "before");
    const failOver = await race.snapshot();
    race.rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, count: 1 });
    const answered = a.stop("published", "before");
    void posting.goOn();
    await answered.reached;
    await onlooker.drain.source.ledger.now();
    await failOver();
    await noticedBy(race, onlooker);
    await race.wait(takeoverMs + 1);
    expect(await endOf(race)).toEqual({ republished: 0, parked: 2, accepted: 1 });
  });

  it("R70 a failover to a person's release that was used already: it orders nothing more", async () => {
    const race = await stand({ drain: parksAfterLoss });
    const [id] = race.seed(1) as [DlqId];
    const onlooker = await race.worker();
    const { source, config } = onlooker.drain;
    const { ledger } = source;
    const of = { drain: config.name, rulesHash: config.rulesHash, token: null };
    await ledger.park([{ dlqId: id, reason: "refused", attempt: 1 }], of);
    await ledger.release([id]);
    const failOver = await race.snapshot();
    await stallPage(await race.worker(), "remove", "before");
    await ledger.now();
    await failOver();
    await race.wait(1);
    await noticedBy(race, onlooker);
    await race.wait(race.ledger.limits.dedupWindowMs);
    expect(await endOf(race)).toEqual({ republished: 0, parked: 1, accepted: 1 });
  });

  it("R71 a second loss does not make what the first one forgot new", async () => {
    const { race, onlooker } = await lostAfterPublish();
    await race.wait(race.ledger.limits.dedupWindowMs + 1);
    await onlooker.drain.source.ledger.now();
    await race.loseEverything();
    await noticedBy(race, onlooker);
    expect(await endOf(race)).toEqual({ republished: 0, parked: 1, accepted: 1 });
  });
});

describe("a failover to a replica that was behind", () => {
  it("R35 takes a begin back: two hold the record, each posts under the same id, and it is accepted once", async () => {
    const race = await stand();
    const [a, b] = [await race.worker(), await race.worker()];
    await a.page();
    race.seed(2);
    const failOver = await race.snapshot();
    const stalled = await stallPage(a, "publish", "before");
    await failOver();
    expect(await b.page()).toMatchObject({ tally: { republished: 2, deduplicated: 0 } });
    expect(await stalled.goOn()).toMatchObject({ tally: { deduplicated: 2 } });
    expect(race.posts.map(({ ids }) => ids)).toEqual([race.posts[0]?.ids, race.posts[0]?.ids]);
    await expectDrainedOnce(race.rig, 2);
  });

  it("R36 takes a fact back: another one's hit heals it, and who wakes finds it gone", async () => {
    const race = await stand();
    const [a, b] = [await race.worker(), await race.worker()];
    await a.rig.pass();
    const failOver = await race.snapshot();
    const ids = race.seed(2);
    const stalled = await stallPage(a, "remove", "before");
    await failOver();
    expect(await b.page()).toMatchObject({ tally: { republished: 2, deduplicated: 2, deleted: 2 } });
    await stalled.goOn();
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    await expectDrainedOnce(race.rig, 2);
  });

  it("R37 is noticed by a worker that asked before it, once, and the next pass is a full one", async () => {
    const race = await stand();
    const a = await race.worker();
    await a.rig.pass();
    const failOver = await race.snapshot();
    race.seed(2);
    await a.page();
    const asked = [a.stop("now", "after"), a.stop("now", "after")];
    const asking = asked.map(() => a.drain.source.ledger.now());
    await Promise.all(asked.map(({ reached }) => reached));
    await failOver();
    await a.drain.source.ledger.now();
    for (const one of asked) one.release();
    await Promise.all(asking);
    await a.drain.source.ledger.now();
    expect(a.rig.eventsOf("ledger:lost-writes")).toHaveLength(1);
    await expect
      .poll(async () => {
        await a.rig.pass();
        return a.rig.eventsOf("pass:opened").at(-1)?.kind;
      })
      .toBe("full");
  });
});
