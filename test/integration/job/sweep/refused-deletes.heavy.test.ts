/**
 * A service that refuses a delete as a whole: because some of its ids are gone, because of one of them, or
 * because of all.
 */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { MessageService } from "../../../../src/job/contracts/service.ts";
import type { SourceRuntime } from "../../../../src/job/runtime.ts";
import { createSweepMemory, sweep } from "../../../../src/job/sweep/sweep.ts";
import { auditOf } from "../../../support/audit-of.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { passWith } from "../../../support/pass-with.ts";
import { createRig, minuteMs, never, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const impatient = { "service.deleteTimeout": "1s" };
const orders = { topicName: "orders", endpointName: "first" };
const ofOrders = `
    select: { topicName: orders }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** Sweeps of a worker whose deletes are refused with this status where `refuses` says so. */
function sweeperOf(rig: Rig, status: number, refuses: (ids: readonly DlqId[]) => boolean) {
  const { drain, core } = rig;
  const { service, clock } = drain.source;
  /** The ids of each delete that was asked for. */
  const asked: (readonly DlqId[])[] = [];
  let ahead = 0;
  const refusing: MessageService = {
    ...service,
    remove: async (ids, signal) => {
      asked.push(ids);
      if (!refuses(ids)) return service.remove(ids, signal);
      const code = [400, 412, 413, 422].includes(status) ? "request-refused" : "source-misconfigured";
      throw new RedriverError(code, `delete: expected 2xx, got ${status}`, { status });
    },
  };
  const source: SourceRuntime = {
    ...drain.source,
    service: refusing,
    clock: { ...clock, monotonic: () => clock.monotonic() + ahead },
  };
  const memory = createSweepMemory(source.clock);
  return {
    sweep: () => sweep(source, core.drains, memory, never),
    pass: () => passWith(rig, source),
    asked,
    wait: (ms: number) => void (ahead += ms),
  };
}

/** How many each entry of a delete names, oldest first. */
const deletesInAudit = async ({ core }: Rig): Promise<readonly number[]> =>
  (await auditOf(core, "delete")).map(({ records }) => records.length);

/** Dead letters that are published and whose delete failed. */
async function publishedNotDeleted(count: number) {
  const rig = await createRig({ redisUrl: redis.url(), settings: impatient, drain: ofOrders });
  const ids = rig.seed(count, orders) as DlqId[];
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
  expect(await rig.pass()).toMatchObject({ tally: { republished: count, deleted: 0 } });
  return { rig, ids };
}

describe("a delete that is refused", () => {
  it.each([404, 410, 400, 422])(
    "with %d because one of its ids is gone: the listing tells, the others are deleted, and nothing halts",
    async (status) => {
      const { rig, ids } = await publishedNotDeleted(30);
      const [first] = ids;
      rig.emulator.dlq.remove([first!]);
      const { ledger } = rig.drain.source;
      const sweeper = sweeperOf(rig, status, (ids) =>
        ids.some((id) => rig.emulator.dlq.find(id) === undefined),
      );
      await sweeper.sweep();
      expect(await ledger.summary()).toMatchObject({ pendingDelete: 0, failedDeletes: 0 });
      expect(sweeper.asked.map(({ length }) => length)).toEqual([30, 29]);
      expect(rig.eventsOf("source:halted")).toEqual([]);
      await expectDrainedOnce(rig, 30);
    },
  );

  it.each([404, 400])(
    "with %d because of one id that is still there: only that one stays, and is asked for ever more rarely",
    async (status) => {
      const { rig, ids } = await publishedNotDeleted(40);
      const bad = ids[17]!;
      let isRefused = true;
      const sweeper = sweeperOf(rig, status, (asked) => isRefused && asked.includes(bad));
      await sweeper.sweep();
      const { ledger } = rig.drain.source;
      expect((await ledger.pendingDeletes(100, 0)).entries.map(({ dlqId }) => dlqId)).toEqual([bad]);
      expect(rig.emulator.dlq.size).toBe(1);
      expect(sweeper.asked.length).toBeLessThan(16);
      expect(rig.eventsOf("source:halted")).toEqual([]);

      const before = sweeper.asked.length;
      await sweeper.sweep();
      expect(sweeper.asked).toHaveLength(before);
      isRefused = false;
      sweeper.wait(15_000);
      await sweeper.sweep();
      expect(await ledger.summary()).toMatchObject({ pendingDelete: 0 });
      await expectDrainedOnce(rig, 40);
    },
  );

  it("because of how many ids it names is made with fewer", async () => {
    const { rig } = await publishedNotDeleted(90);
    const sweeper = sweeperOf(rig, 414, ({ length }) => length > 25);
    await sweeper.sweep();
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 0 });
    await expectDrainedOnce(rig, 90);
  });

  it("whatever it names, although all are listed, halts the source at the third sweep; the calls are few", async () => {
    const { rig } = await publishedNotDeleted(60);
    const sweeper = sweeperOf(rig, 404, () => true);
    const halted = (): unknown[] => rig.eventsOf("source:halted");
    const fruitful: number[] = [];
    for (let round = 0; round < 10 && halted().length === 0; round += 1) {
      const before = sweeper.asked.length;
      await sweeper.sweep();
      const calls = sweeper.asked.length - before;
      if (calls > 0) fruitful.push(calls);
      sweeper.wait(5 * minuteMs);
    }
    expect(halted()).toMatchObject([{ code: "source-misconfigured", callClass: "dlq" }]);
    expect(fruitful).toHaveLength(3);
    expect(Math.max(...fruitful)).toBeLessThan(16);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 60 });
  });
});

describe("an id whose delete is refused for ever", () => {
  const hourMs = 60 * minuteMs;

  it("is in the audit once for all its halves, and again once an hour", async () => {
    const { rig, ids } = await publishedNotDeleted(40);
    const bad = ids[17]!;
    const sweeper = sweeperOf(rig, 404, (asked) => asked.includes(bad));
    await sweeper.sweep();
    // The pass's, and the sweep's: what it made of that by halves is the same act.
    expect(await deletesInAudit(rig)).toEqual([40, 40]);
    let tries = 0;
    for (let minute = 0; minute < 2 * 60; minute += 1) {
      const before = sweeper.asked.length;
      sweeper.wait(minuteMs);
      await sweeper.sweep();
      if (sweeper.asked.length > before) tries += 1;
    }
    expect(tries).toBe(8);
    expect(await deletesInAudit(rig)).toEqual([40, 40, 1]);
    expect(rig.eventsOf("source:halted")).toEqual([]);
    sweeper.wait(hourMs);
    await sweeper.sweep();
    expect(await deletesInAudit(rig)).toEqual([40, 40, 1, 1]);
    expect((await rig.drain.source.ledger.pendingDeletes(100, 0)).entries).toMatchObject([{ dlqId: bad }]);
  });

  it("keeps no other from being deleted, and halts nothing while others are", async () => {
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient, drain: ofOrders });
    const refused = new Set<DlqId>();
    const sweeper = sweeperOf(rig, 404, (asked) => asked.some((id) => refused.has(id)));
    for (let round = 0; round < 5; round += 1) {
      // One that is refused alone by the next sweep that is not left out …
      refused.add(rig.seed(1, orders, 30_000)[0] as DlqId);
      expect(await sweeper.pass()).toMatchObject({ tally: { republished: 1, deleted: 0 } });
      for (let turn = 0; turn < 3; turn += 1) await sweeper.sweep();
      // … and one that a pass deletes.
      rig.seed(1, orders, 30_000);
      expect(await sweeper.pass()).toMatchObject({ tally: { republished: 1, deleted: 1 } });
      sweeper.wait(hourMs);
    }
    expect(rig.eventsOf("source:halted")).toEqual([]);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 5 });
  });
});

it("a delete that a page makes and that is refused leaves its ids pending, and halts nothing", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(20);
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 404, count: 1 });
  expect(await rig.pass()).toMatchObject({ tally: { republished: 20, deleted: 0 } });
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 20, failedDeletes: 20 });
  expect(rig.eventsOf("source:halted")).toEqual([]);
  await rig.sweep();
  await expectDrainedOnce(rig, 20);
});
