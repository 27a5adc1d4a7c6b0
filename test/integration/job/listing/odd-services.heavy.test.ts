/**
 * The service as it may be where its documents are silent (the [?] of what we know about it): nothing is
 * lost, nothing doubled.
 */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { accountOf, expectDrainedOnce } from "../../../support/accounts.ts";
import { withMovableLedger } from "../../../support/pass-with.ts";
import {
  atOnce,
  behindTheHorizon,
  createRig,
  oneCursor,
  type Rig,
  type RigOptions,
  impatient,
  takeoverMs,
} from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");
const rigOf = (options: Partial<RigOptions> = {}) => createRig({ redisUrl: redis.url(), ...options });
const minuteMs = 60_000;

it.each(["first", "last"] as const)(
  "a service that registers the ids of items that it refuses and counts its window from the %s of an id: a refused item goes out under a fresh id, and each arrives once",
  async (dedupWindowFrom) => {
    const rig = await rigOf({
      drain: atOnce,
      // Older deployments remember an id for 90 days.
      emulator: { dedupWindowFrom, dedupWindowMs: 90 * 24 * 60 * minuteMs },
    });
    const ids = rig.seed(10);
    rig.emulator.faults.add({ kind: "item-error", registersDeduplication: true, positions: [2, 5, 8] });
    expect(await rig.pass()).toMatchObject({ tally: { republished: 7, parked: 3, deleted: 7 } });
    rig.emulator.faults.remove("item-error-1");

    const { ledger } = rig.drain.source;
    const { entries } = await ledger.parked(null, 100);
    expect(new Set(entries.map(({ dlqId }) => dlqId))).toEqual(new Set([ids[2], ids[5], ids[8]]));
    await ledger.release(entries.map(({ dlqId }) => dlqId));
    await rig.fullPass();
    await expectDrainedOnce(rig, 10);
    // The next suffix is taken at once, so nothing meets an id that a refused item has registered.
    expect(rig.emulator.journal.entries("deduplicated")).toHaveLength(0);
    expect(rig.eventsOf("double:declared")).toEqual([]);
  },
);

describe("a service that counts its window from the last hit of an id", () => {
  it("and loses its answers again and again is asked under the same id until it answers", async () => {
    const emulator = { dedupWindowFrom: "last" } as const;
    const rig = await rigOf({ settings: impatient, emulator });
    rig.seed(20);
    rig.emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "after", count: 2 });
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 20, deleted: 20 } });
    await expectDrainedOnce(rig, 20);
    expect(rig.emulator.journal.counts().deduplicated).toBe(40);
  });

  it("keeps no come-back from going out again: each has an id of its own", async () => {
    const emulator = { dedupWindowFrom: "last", dedupWindowMs: 90 * 24 * 60 * minuteMs } as const;
    const rig = await rigOf({ drain: atOnce, emulator });
    rig.receiver.answer = () => 503;
    rig.seed(5, { maxRetries: 0 });
    await rig.pass();
    await rig.emulator.idle();
    rig.receiver.answer = () => 200;
    await behindTheHorizon(rig);
    await rig.pass();
    expect(rig.emulator.dlq.size).toBe(0);
    await rig.emulator.idle();
    expect(accountOf(rig).delivered).toEqual({ once: 0, more: 5 });
    expect(rig.receiver.deliveries).toHaveLength(10);
    expect(rig.emulator.journal.counts()).toMatchObject({ accepted: 10, deduplicated: 0 });
  });
});

describe("a service whose dates mean createdAt", () => {
  it("is found out, and every pass is full: what was made long before it died is not passed over", async () => {
    const rig = await rigOf({ drain: atOnce, emulator: { dateFilter: "created" } });
    seedOutOfOrder(rig, 450, 2 * 60 * minuteMs, "early");
    expect(await rig.pass()).toMatchObject({
      outcome: "complete",
      tally: { republished: 450, deleted: 450 },
    });
    expect(rig.eventsOf("source:dates-learned")).toMatchObject([{ meaning: "created" }]);
    seedOutOfOrder(rig, 150, 10_000, "late");
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 150 } });
    expect(rig.eventsOf("pass:opened").map(({ kind }) => kind)).toEqual(["full", "full"]);
    await expectDrainedOnce(rig, 600);
  });

  it("is not asked by times of entry what became of a delete: each record is looked for by its message", async () => {
    const rig = await rigOf({ settings: impatient, drain: atOnce, emulator: { dateFilter: "created" } });
    seedOutOfOrder(rig, 20, 2 * 60 * minuteMs, "early");
    rig.emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
    await rig.pass();
    const { ledger } = rig.drain.source;
    const pending = (await ledger.pendingDeletes(100, 0)).entries.map(({ dlqId }) => dlqId);
    expect(pending).toHaveLength(20);
    // Somebody else deletes some of them.
    rig.emulator.dlq.remove(pending.slice(0, 5));
    rig.emulator.faults.add({ kind: "lagging-list", forMs: minuteMs, count: 1 });
    await rig.sweep();
    // Still listed, so nothing is taken for gone but what nobody lists.
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 15 });
    rig.emulator.clock.advance(minuteMs);
    await rig.sweep();
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 0 });
    await expectDrainedOnce(rig, 20);
  });
});

describe("a service whose cursors count what came before", () => {
  const everythingInOneWindow = 20 * minuteMs;

  it("skips records behind what a pass deletes, and full passes find each of them", async () => {
    const rig = await rigOf({ drain: atOnce, emulator: { cursorBy: "offset" }, ...oneCursor });
    const ids = rig.seed(450, {}, everythingInOneWindow);
    const first = await rig.pass();
    expect(first).toMatchObject({ outcome: "complete", tally: { parked: 0, inDoubt: 0 } });
    const skipped = ids.filter((id) => rig.emulator.dlq.find(id) !== undefined);
    expect(skipped.length).toBeGreaterThan(100);
    const { views } = await rig.drain.source.ledger.look(skipped as DlqId[]);
    expect(new Set(views.map(({ state }) => state))).toEqual(new Set(["absent"]));
    for (let pass = 0; pass < 5 && rig.emulator.dlq.size > 0; pass += 1) await rig.fullPass();
    await expectDrainedOnce(rig, 450);
    expect(rig.recordsOf("record:decided").filter(({ decision }) => decision.then === "park")).toEqual([]);
  });

  it.each([
    ["earliestFirst", -1_000],
    ["latestFirst", 1_000],
  ] as const)(
    "buries in no full pass, %s, what is published and still in the DLQ, and after its tombstones it is not published again undeclared",
    async (order, toFrontMs) => {
      const rig = await rigOf({ drain: atOnce, emulator: { cursorBy: "offset", order }, ...oneCursor });
      rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 });
      const at = Date.now() - everythingInOneWindow;
      const ids = seedFrom(rig, at, "first");
      await rig.pass();
      // What is published after a pass's horizon, 5 s behind, it never takes for gone.
      rig.advance(6_100);
      seedFrom(rig, at + toFrontMs, "second");
      await rig.fullPass();
      expect(rig.emulator.dlq.size).toBe(100);
      expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 100 });
      await rig.sweep();
      // The tombstones' life ends, as after 2 full passes + 1 h of a paused drain.
      const keys = (await rig.core.redis.command(
        "KEYS",
        `${rig.core.settings.redis.keyPrefix}*`,
      )) as string[];
      for (const key of keys.filter((one) => ids.some((id) => one.endsWith(id)))) {
        if ((await rig.core.redis.command("TYPE", key)) !== "string") continue;
        const entry = String(await rig.core.redis.command("GET", key));
        if (entry.includes('"s":"gone"')) await rig.core.redis.command("DEL", key);
      }
      rig.emulator.clock.advance(3 * 3_600_000);
      await rig.fullPass();
      await rig.sweep();
      await rig.emulator.idle();
      expect({ ...accountOf(rig).accepted, declared: rig.eventsOf("double:declared").length }).toEqual({
        once: 200,
        more: 0,
        declared: 0,
      });
    },
    120_000,
  );

  it("takes nothing for gone in a full pass that it skipped behind a delete without an answer", async () => {
    const rig = await rigOf({
      drain: atOnce,
      settings: impatient,
      emulator: { cursorBy: "offset", order: "earliestFirst" },
      ...oneCursor,
    });
    rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 });
    const at = Date.now() - everythingInOneWindow;
    seedFrom(rig, at, "first");
    await rig.pass();
    // What is published after a pass's horizon, 5 s behind, it never takes for gone.
    rig.advance(6_100);
    const census = await rig.drain.source.book.census();
    seedFrom(rig, at - 1_000, "second");
    rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", count: 1 });
    expect(await rig.fullPass()).toMatchObject({ tally: { republished: 100, deleted: 0 } });
    expect(rig.emulator.dlq.size).toBe(100);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 200 });
    // A census of this pass would miss those that it skipped.
    expect(await rig.drain.source.book.census()).toEqual(census);
  }, 120_000);
});

it("an answer of which half says published and half refused leaves the record in doubt, and the same id says later that it was published", async () => {
  const rig = await rigOf({ settings: impatient });
  rig.seed(10);
  rig.emulator.faults.add({ kind: "half-failed-group", count: 4 });
  expect(await rig.pass()).toMatchObject({ tally: { republished: 6, deleted: 6, inDoubt: 4, parked: 0 } });
  expect(rig.eventsOf("outcome:unknown").flatMap(({ dlqIds }) => dlqIds)).toHaveLength(4);
  expect(rig.emulator.dlq.size).toBe(4);
  const { ledger } = rig.drain.source;
  await rig.sweep();
  expect(await ledger.summary()).toMatchObject({ open: 4 });
  rig.advance(takeoverMs);
  await rig.sweep();
  expect(rig.emulator.dlq.size).toBe(0);
  await expectDrainedOnce(rig, 10);
  expect(rig.emulator.journal.counts().deduplicated).toBe(4);
  expect(rig.eventsOf("double:declared")).toEqual([]);
}, 120_000);

it("a service that refuses everything with 400 is halted and rests, nothing is parked, and once it accepts again each goes out once", async () => {
  const rig = await rigOf({ drain: atOnce });
  rig.seed(60);
  const { ledger, wait, pass } = withMovableLedger(rig);
  rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, error: "no", name: "no" });
  for (let round = 0; round < 2; round += 1) {
    expect(await pass()).toMatchObject({ tally: { republished: 0, deleted: 0, parked: 0 } });
    expect(rig.drain.source.health.current()).toEqual({ state: "usable" });
    expect(rig.drain.source.health.current("batch")).toMatchObject({ code: "service-refuses-everything" });
    const asked = rig.emulator.journal.counts().requests["batch 400"];
    expect(asked).toBeLessThan(60);
    expect(await pass()).toMatchObject({ tally: { listed: 60, republished: 0 } });
    expect(rig.emulator.journal.counts().requests["batch 400"]).toBe(asked);
    wait(10 * minuteMs);
    rig.drain.source.health.resume();
  }
  expect(rig.eventsOf("source:halted").map(({ code }) => code)).toEqual([
    "service-refuses-everything",
    "service-refuses-everything",
  ]);
  expect((await ledger.parked(null, 100)).entries).toEqual([]);
  expect(accountOf(rig).accepted).toEqual({ once: 0, more: 0 });
  rig.emulator.faults.remove("no");
  expect(await pass()).toMatchObject({ tally: { republished: 60, deleted: 60 } });
  await expectDrainedOnce(rig, 60);
});

it("answers that cannot be read leave their items open, and the sweep finds them under the same id: no double", async () => {
  const rig = await rigOf({ settings: impatient });
  rig.seed(10);
  for (const [position, answer] of [{}, null, 5, "msg_1", [], { messageId: " " }].entries()) {
    const fault = { positions: [position], answer, published: true, count: 1 };
    rig.emulator.faults.add({ kind: "item-error", ...fault });
  }
  expect(await rig.pass()).toMatchObject({ tally: { republished: 4, deleted: 4, inDoubt: 6, parked: 0 } });
  expect(rig.emulator.dlq.size).toBe(6);
  const { ledger } = rig.drain.source;
  expect(await ledger.summary()).toMatchObject({ open: 6 });
  rig.advance(takeoverMs);
  await rig.sweep();
  expect(rig.emulator.dlq.size).toBe(0);
  await rig.emulator.idle();
  expect(accountOf(rig)).toMatchObject({ accepted: { once: 10, more: 0 }, delivered: { once: 10, more: 0 } });
  expect(rig.emulator.journal.counts().deduplicated).toBe(6);
  expect(rig.eventsOf("double:declared")).toEqual([]);
}, 120_000);

/**
 * Records that died in another order than they were made in: entered one a second, made up to hours before.
 */
function seedOutOfOrder(rig: Rig, count: number, newestAgeMs: number, label: string): void {
  const now = Date.now();
  rig.emulator.dlq.seed(
    Array.from({ length: count }, (_, index) => ({
      dlqId: `${now - newestAgeMs - index * 1_000}-0`,
      createdAt: now - newestAgeMs - (count - index) * 40_000 - 7_000,
      url: `${rig.receiver.url}/hook`,
      responseStatus: 503,
      body: `${label} ${index}`,
    })),
  );
}

/** A hundred records, one a millisecond from `at` on. */
const seedFrom = (rig: Rig, at: number, label: string): string[] =>
  rig.emulator.dlq.seed(
    Array.from({ length: 100 }, (_, index) => ({
      dlqId: `${at + index}-0`,
      createdAt: at - 7_000,
      url: `${rig.receiver.url}/hook`,
      responseStatus: 503,
      body: `${label} ${index}`,
    })),
  );
