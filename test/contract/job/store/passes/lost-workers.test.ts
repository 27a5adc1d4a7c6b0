import { beforeEach, describe, expect, test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { FailureCounts } from "../../../../../src/job/contracts/failures.ts";
import type { PassBook, WindowEnd, WindowMark } from "../../../../../src/job/contracts/passes.ts";
import { drain, redisStand } from "../../../../support/ledger-stands.ts";
import { nothing, open, passId } from "../../../../support/pass-book.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const p1 = passId("p1");
const [a, b, c] = ["1-1" as DlqId, "2-1" as DlqId, "3-1" as DlqId];

async function create(): Promise<PassBook> {
  const { passes } = await redisStand(redis.fresh());
  await open(passes, "p1");
  return passes;
}

const hundred = (of: number) => Array.from({ length: 100 }, (_, n) => `${of}-${n}` as DlqId);

let takers = 0;
/** By a new worker each time. Twice: a call may be sent again. */
async function take(passes: PassBook, windowId = "w1") {
  const owner = `worker-${(takers += 1)}`;
  const first = await passes.takeWindow(drain, p1, windowId, owner, true);
  expect(await passes.takeWindow(drain, p1, windowId, owner, true)).toEqual(first);
  const run = { passId: p1, windowId, owner };
  return {
    run,
    care: first?.care,
    unworkable: first?.unworkable,
    unlistable: first?.unlistable,
    mark: async (mark: WindowMark): Promise<boolean> => {
      await passes.markWindow(drain, run, mark);
      return passes.markWindow(drain, run, mark);
    },
    progress: (republished: number) =>
      passes.progress(drain, p1, windowId, [], { ...nothing, republished }, {}, owner),
    leave: async (): Promise<void> => {
      await passes.leaveWindow(drain, run);
      await passes.leaveWindow(drain, run);
    },
    end: () => passes.endWindow(drain, p1, windowId, { kind: "done", split: [] }, nothing, {}, owner),
  };
}

/** Two workers that did nothing are lost. */
async function lostTwice(passes: PassBook): Promise<void> {
  expect((await take(passes)).care).toBeNull();
  expect((await take(passes)).care).toBeNull();
}

/** One more is lost, with these under work. */
async function lostWith(passes: PassBook, ...marks: readonly WindowMark["under"][]): Promise<void> {
  const { mark } = await take(passes);
  for (const under of marks) expect(await mark({ under })).toBe(true);
}

let passes: Awaited<ReturnType<typeof create>>;
beforeEach(async () => {
  passes = await create();
});

describe("a window needs care", () => {
  test("once two workers in a row were lost that had done nothing", async () => {
    await lostTwice(passes);
    expect((await take(passes)).care).toEqual({ suspects: {}, listings: 0 });
  });

  test("not if each had published something before it was lost", async () => {
    for (let times = 0; times < 10; times += 1) {
      const { care, progress } = await take(passes);
      expect(care).toBeNull();
      await progress(times + 1);
    }
  });

  test("not if each gave it back, or is the one that has it", async () => {
    for (let times = 0; times < 10; times += 1) {
      const { care, leave } = await take(passes);
      expect(care).toBeNull();
      await leave();
    }
  });

  test("and one that leaves a window that another has by now changes nothing", async () => {
    const first = await take(passes);
    await take(passes);
    await first.leave();
    await take(passes);
    expect((await take(passes)).care).not.toBeNull();
  });

  test("and so do its parts, at once", async () => {
    await lostTwice(passes);
    const { run } = await take(passes);
    const split = [0, 1].map((n) => ({ windowId: `w1.${n}`, from: n, to: n, depth: 1 }));
    const end = { kind: "done", split } as const;
    await passes.endWindow(drain, p1, "w1", end, nothing, {}, run.owner);
    expect((await take(passes, "w1.0")).care).toEqual({ suspects: {}, listings: 0 });
    expect((await take(passes, "w1.1")).care).toEqual({ suspects: {}, listings: 0 });
  });
});

describe("what was under work when a worker was lost", () => {
  test("is suspected, until a worker has worked it and lives", async () => {
    await lostTwice(passes);
    await lostWith(passes, [a, b, c]);
    const next = await take(passes);
    expect(next.care).toEqual({ suspects: { [a]: 3, [b]: 3, [c]: 3 }, listings: 0 });
    await next.mark({ under: [a] });
    await next.mark({ under: [b], cleared: [a] });
    const last = await take(passes);
    expect(last.care).toEqual({
      suspects: { [b]: 1, [c]: 3 },
      alone: { id: b, lost: 1, long: 0 },
      listings: 0,
    });
    await last.mark({ under: "listing", cleared: [b, c] });
    await last.end();
  });

  test("counts as often as it was alone in a row, and apart if it was under work for long", async () => {
    await lostTwice(passes);
    await lostWith(passes, [a]);
    await lostWith(passes, [a]);
    await lostWith(passes, [a], "long");
    expect((await take(passes)).care?.alone).toEqual({ id: a, lost: 2, long: 1 });
  });

  test("is not known as alone any more once a worker was lost with others", async () => {
    await lostTwice(passes);
    await lostWith(passes, [a]);
    await lostWith(passes, [b, c]);
    expect((await take(passes)).care).toEqual({ suspects: { [a]: 1, [b]: 2, [c]: 2 }, listings: 0 });
  });

  test("is nothing while the worker waited, or gave the window back", async () => {
    await lostTwice(passes);
    await lostWith(passes, [a], "waiting");
    const next = await take(passes);
    expect(next.care?.suspects).toEqual({});
    await next.mark({ under: [b] });
    await next.leave();
    expect((await take(passes)).care?.suspects).toEqual({});
  });

  test("is bounded: the oldest suspects are forgotten", async () => {
    await lostTwice(passes);
    for (const of of [1, 2, 3]) await lostWith(passes, hundred(of));
    expect(Object.keys((await take(passes)).care?.suspects ?? {})).toEqual(
      expect.arrayContaining(hundred(3)),
    );
    expect(Object.keys((await take(passes)).care?.suspects ?? {}).length).toBeLessThanOrEqual(200);
  });

  test("is a listing, as often in a row as nothing else was", async () => {
    await lostTwice(passes);
    await lostWith(passes);
    await lostWith(passes, [a], "listing");
    expect((await take(passes)).care?.listings).toBe(1);
    expect((await take(passes)).care?.listings).toBe(2);
  });

  test("is told by the worker that has the window alone", async () => {
    await lostTwice(passes);
    const frozen = await take(passes);
    const next = await take(passes);
    expect(await frozen.mark({ under: [a] })).toBe(false);
    await next.end();
    expect(await next.mark({ under: [a] })).toBe(false);
  });
});

test("what has ended its workers is passed over by every later window of the drain", async () => {
  await lostTwice(passes);
  await lostWith(passes, [a]);
  const { mark, end } = await take(passes);
  await mark({ under: "waiting", unworkable: [a] });
  await mark({ under: "waiting", unlistable: 77 });
  await end();
  await open(passes, "p2");
  expect(await passes.takeWindow(drain, passId("p2"), "w1", "x")).toMatchObject({
    care: null,
    unworkable: [a],
    unlistable: [77],
  });
});

const done: WindowEnd = { kind: "done", split: [] };

/** Published so many of these that have just arrived. */
const did = (published: number, listed = 100) => ({
  ...nothing,
  listed,
  held: listed - published,
  republished: published,
  deleted: published,
});
const found = (published: number, seen = 100): FailureCounts => ({
  a: { seen, arrived: { 7: seen }, published, arrivedDone: { 7: published } },
});
const listedAgain: FailureCounts = { a: { seen: 70, arrived: { 7: 70 } } };
const leftOver = { ...nothing, listed: 70, held: 70 };

/** The worker `a` counts 30 as published, and freezes. The worker `b` takes its window over. */
async function takenOver(): Promise<void> {
  await passes.takeWindow(drain, p1, "w1", "a");
  expect(await passes.progress(drain, p1, "w1", [], did(30), found(30), "a")).toBe(1);
  await passes.takeWindow(drain, p1, "w1", "b");
}

const once = { held: 70, failures: [{ waiting: 70, arrived: 100, published: 30 }] };

test("a worker whose window was taken over counts nothing more, and does not end it", async () => {
  await takenOver();
  expect(await passes.progress(drain, p1, "w1", [], did(40), found(40), "a")).toBe("taken-over");
  expect(await passes.endWindow(drain, p1, "w1", done, did(40), found(40), "a")).toEqual({ kind: "stale" });
  expect(await passes.facts(drain)).toMatchObject({
    openPass: { windowsLeft: 1, soFar: { republished: 30 } },
  });

  expect(await passes.progress(drain, p1, "w1", [], leftOver, listedAgain, "b")).toBe(1);
  const closed = await passes.endWindow(drain, p1, "w1", done, leftOver, listedAgain, "b");
  expect(closed).toMatchObject({ kind: "pass-closed", tally: { listed: 100, republished: 30, held: 70 } });
  expect(await passes.facts(drain)).toMatchObject(once);
  // A closed pass is reported by the worker that has closed it.
  expect(await passes.endWindow(drain, p1, "w1", done, did(40), found(40), "a")).toEqual({ kind: "stale" });
  expect(await passes.endWindow(drain, p1, "w1", done, leftOver, listedAgain, "b")).toEqual(closed);
  expect(await passes.facts(drain)).toMatchObject(once);
});

test("a worker is lost once its lock has ended, and then every window of its pass says so", async () => {
  const { passes, now, advance } = await redisStand(redis.fresh());
  await open(passes, "p1");
  const take = async (windowId: string, owner: string, hasStalled?: boolean) =>
    (await passes.takeWindow(drain, p1, windowId, owner, hasStalled))?.workerLostAt;
  expect(await take("w1", "a", true)).toBeNull();
  // At work elsewhere, as far as anybody knows.
  expect(await take("w1", "b")).toBeNull();
  await passes.leaveWindow(drain, { passId: p1, windowId: "w1", owner: "b" });
  expect(await take("w1", "c", true)).toBeNull();
  await advance(30_000);
  const lostAt = now();
  expect(await take("w1", "d", true)).toBe(lostAt);
  const split = [0, 1].map((n) => ({ windowId: `w1.${n}`, from: n, to: n, depth: 1 }));
  await passes.endWindow(drain, p1, "w1", { kind: "done", split }, nothing, {}, "d");
  await advance(1_000);
  expect(await take("w1.0", "e")).toBe(lostAt);
});

test("what a worker that stops has begun waits for nobody, unless the window is another owner's", async () => {
  const { passes, now, advance } = await redisStand(redis.fresh());
  await open(passes, "p1");
  const take = async (owner: string) => (await passes.takeWindow(drain, p1, "w1", owner, true))?.workerLostAt;
  expect(await take("a")).toBeNull();
  await passes.leaveWindow(drain, { passId: p1, windowId: "w1", owner: "other" }, true);
  await passes.leaveWindow(drain, { passId: p1, windowId: "w1", owner: "a" }, true);
  const stoppedAt = now();
  await advance(1_000);
  expect(await take("b")).toBe(stoppedAt);
});
