/** What a sweep proves stays proven, whatever fails after it, and it asks no more than it must. */
import { describe, expect, it, vi } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { SourceRuntime } from "../../../../src/job/runtime.ts";
import { createSweepMemory, sweep } from "../../../../src/job/sweep/sweep.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { type RaceStand, takeoverMs, useRaces } from "../../../support/race-stand.ts";
import { createRig, minuteMs, never, oneCursor, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const races = useRaces(redis);
const hourMs = 60 * minuteMs;

const impatient = { "service.deleteTimeout": "1s" };

const pendingOf = async ({ drain }: Rig): Promise<number> =>
  (await drain.source.ledger.summary()).pendingDelete;

async function passUnheard(rig: Rig): Promise<void> {
  rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", name: "unheard" });
  await rig.pass();
  rig.emulator.faults.remove("unheard");
}

/** Dead letters that are published and deleted, and of whose delete nobody heard; so many at each age. */
async function deletedUnheard(
  counts: readonly (readonly [count: number, ageMs: number])[],
  options: Partial<RigOptions> = {},
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Rig> {
  // One page after the other, whatever the knobs: several deletes at once without an answer make the source
  // pause, and others are not sent.
  const rig = await createRig({ redisUrl: redis.url(), settings: impatient, ...oneCursor, ...options });
  for (const [count, ageMs] of counts) rig.seed(count, fields, ageMs);
  await passUnheard(rig);
  expect(rig.emulator.dlq.size).toBe(0);
  expect(await pendingOf(rig)).toBe(counts.reduce((sum, [count]) => sum + count, 0));
  return rig;
}

describe("what may be gone", () => {
  it("is deleted by exact ids where the look still finds it", async () => {
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
    const ids = rig.seed(30) as DlqId[];
    rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "before", count: 1 });
    await rig.pass();
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 30, failedDeletes: 30 });
    rig.emulator.dlq.remove(ids.slice(0, 10));
    const before = rig.callsOf("delete");
    await rig.sweep();
    expect(rig.callsOf("delete")).toBe(before + 1);
    expect(rig.eventsOf("delete:short")).toEqual([]);
    await expectDrainedOnce(rig, 30);
  });

  it("is looked for also where a delete was answered with fewer than asked, and waits for no takeover", async () => {
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
    const ids = rig.seed(20) as DlqId[];
    rig.emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
    await rig.pass();
    rig.emulator.dlq.remove(ids.slice(0, 5));
    await rig.sweep();
    expect(rig.eventsOf("delete:short")).toMatchObject([{ asked: 20, deleted: 15 }]);
    expect(await pendingOf(rig)).toBe(0);
  });

  it("is not what a call left that was never sent: that is deleted at once", async () => {
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
    rig.seed(10);
    const fault = { status: 429, limit: "burst", resetInS: 30, count: 1 } as const;
    rig.emulator.faults.add({ kind: "status", operation: "delete", ...fault });
    expect(await rig.pass()).toMatchObject({ tally: { deleted: 0 } });
    const { entries } = await rig.drain.source.ledger.pendingDeletes(100, 0);
    expect(new Set(entries.map(({ view }) => view.maybeGone))).toEqual(new Set([false]));
  }, 60_000);
});

it("ids that are gone, and whose delete the service answers with 500 for that, are found out by a listing", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
  const ids = rig.seed(20) as DlqId[];
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500 });
  await rig.pass();
  rig.emulator.dlq.remove(ids);
  await rig.sweep();
  expect(await pendingOf(rig)).toBe(20);
  await rig.sweep();
  expect(await pendingOf(rig)).toBe(0);
  expect(rig.callsOf("delete")).toBe(2);
});

describe("a listing of a sweep", () => {
  const apart = [
    [10, 3 * hourMs],
    [20, 2 * hourMs],
    [30, hourMs],
  ] as const;

  it("that fails costs that listing alone", async () => {
    const rig = await deletedUnheard(apart);
    rig.emulator.faults.add({ kind: "status", operation: "list", status: 500, count: 1 });
    await expect(rig.sweep()).rejects.toMatchObject({ code: "service-unavailable" });
    expect([10, 20, 30]).toContain(await pendingOf(rig));
    await rig.sweep();
    expect(await pendingOf(rig)).toBe(0);
  });

  it("that asks for a pause is made again after it, in the same sweep", async () => {
    const rig = await deletedUnheard(apart);
    rig.emulator.faults.add({ kind: "status", operation: "list", status: 429, limit: "burst", count: 1 });
    await rig.sweep();
    expect(await pendingOf(rig)).toBe(0);
  });

  it("that asks for a long pause ends the looking, and what was proven before it stays", async () => {
    const rig = await deletedUnheard(apart);
    let lists = 0;
    const { source } = rig.drain;
    const stopped: SourceRuntime = {
      ...source,
      service: {
        ...source.service,
        list(...call) {
          lists += 1;
          if (lists === 2) {
            const fault = { status: 429, limit: "burst", resetInS: 60, count: 1 } as const;
            rig.emulator.faults.add({ kind: "status", operation: "list", ...fault });
          }
          return source.service.list(...call);
        },
      },
    };
    const memory = createSweepMemory(source.clock);
    await expect(sweep(stopped, rig.core.drains, memory, never)).rejects.toMatchObject({
      code: "rate-limited",
    });
    expect(lists).toBe(2);
    expect([30, 40, 50]).toContain(await pendingOf(rig));
  });
});

describe("a sweep makes few calls", () => {
  it("one for what a hundred lost deletes had in one stretch of time", async () => {
    const rig = await deletedUnheard([[450, hourMs]]);
    const [before, deletes] = [rig.callsOf("list"), rig.callsOf("delete")];
    await rig.sweep();
    expect(await pendingOf(rig)).toBe(0);
    expect(rig.callsOf("list") - before).toBe(1);
    expect(rig.callsOf("delete")).toBe(deletes);
  });

  it("also where nobody could learn what dates mean, because each record entered when it was created", async () => {
    const at = Date.now() - hourMs;
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
    const seedSame = (from: number, count: number, status: number): void => {
      rig.emulator.dlq.seed(
        Array.from({ length: count }, (_, index) => ({
          dlqId: `${at + (from + index) * 100}-${from + index}`,
          createdAt: at + (from + index) * 100,
          url: `${rig.receiver.url}/hook`,
          responseStatus: status,
        })),
      );
    };
    // Held by no rule, so the queue has more than a page.
    seedSame(0, 150, 404);
    seedSame(150, 200, 503);
    seedSame(350, 150, 404);
    await passUnheard(rig);
    expect(await rig.drain.source.book.datesMean()).toBeNull();
    expect(await pendingOf(rig)).toBe(200);
    const before = rig.callsOf("list");
    await rig.sweep();
    expect(await pendingOf(rig)).toBe(0);
    expect(rig.callsOf("list") - before).toBeLessThanOrEqual(4);
  });

  it("one for a hundred ids where the service lists by them, wherever they lie", async () => {
    const counts = Array.from({ length: 20 }, (_, n) => [6, (n + 1) * hourMs] as const);
    const rig = await deletedUnheard(counts, {
      source: "{ listByIds: true }",
      emulator: { listParameters: "production" },
    });
    rig.seed(50, { responseStatus: 404 }, 10 * hourMs);
    const before = rig.callsOf("list");
    await rig.sweep();
    expect(await pendingOf(rig)).toBe(0);
    expect(rig.callsOf("list") - before).toBe(2);
  });

  it("by times where the service does not list by ids after all", async () => {
    const rig = await deletedUnheard([[20, hourMs]], { source: "{ listByIds: true }" });
    await expect(rig.sweep()).rejects.toMatchObject({ code: "request-refused" });
    expect(await pendingOf(rig)).toBe(0);
  });

  it("at most forty where each has to be looked for by its message; the next sweep goes on", async () => {
    const rig = await deletedUnheard([[90, hourMs]], { emulator: { dateFilter: "created" } });
    expect(await rig.drain.source.book.datesMean()).toBe("created");
    for (const left of [50, 10, 0]) {
      const before = rig.callsOf("list");
      await rig.sweep();
      expect(rig.callsOf("list") - before).toBeLessThanOrEqual(40);
      expect(await pendingOf(rig)).toBe(left);
    }
  });
});

/** A worker that has these in hands dies right after this call. */
async function dieAt(race: RaceStand, call: "publish" | "published", ids: readonly DlqId[]): Promise<void> {
  const dying = await race.worker();
  const dead = dying.stop(call, "after");
  const page = await dying.list();
  void dying.work({
    ...page,
    records: page.records.filter(({ dlqId }) => ids.includes(dlqId as DlqId)),
  });
  await dead.reached;
}

describe("the halves of a sweep", () => {
  it("reconciling does not wait for settling", async () => {
    const race = await races();
    const settled = race.seed(2);
    await dieAt(race, "published", settled);
    const unknown = race.seed(2);
    await dieAt(race, "publish", unknown);
    await race.wait(takeoverMs + 1);
    const sweeper = await race.worker();
    const stuck = sweeper.stop("remove", "before");
    const sweeping = sweeper.sweep();
    await stuck.reached;
    await vi.waitFor(async () => expect(await race.states(unknown)).toEqual(["gone", "gone"]), {
      timeout: 20_000,
    });
    stuck.release();
    await sweeping;
    expect(await race.states(settled)).toEqual(["gone", "gone"]);
  });

  it("fail each for itself, and both are told", async () => {
    const race = await races();
    const pending = race.seed(2);
    race.rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "before", count: 1 });
    await (await race.worker()).page();
    await dieAt(race, "publish", race.seed(2));
    await race.wait(takeoverMs + 1);
    const sweeper = await race.worker();
    race.rig.emulator.faults.add({ kind: "status", operation: "list", status: 500, count: 2 });
    await expect(sweeper.sweep()).rejects.toMatchObject({ code: "service-unavailable" });
    expect(sweeper.rig.eventsOf("sweep:failed")).toHaveLength(1);
    await sweeper.sweep();
    expect(await race.states(pending)).toEqual(["gone", "gone"]);
    await expectDrainedOnce(race.rig, 4);
  });
});
