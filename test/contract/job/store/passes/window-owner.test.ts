import { expect, test } from "vitest";
import type { FailureCounts } from "../../../../../src/job/contracts/failures.ts";
import type { PassBook, WindowEnd } from "../../../../../src/job/contracts/passes.ts";
import { drain, redisStand } from "../../../../support/ledger-stands.ts";
import { nothing, open, passId } from "../../../../support/pass-book.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const p1 = passId("p1");
const done: WindowEnd = { kind: "done", split: [] };

const create = async () => (await redisStand(redis.fresh())).passes;

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
async function takenOver(passes: PassBook): Promise<void> {
  await open(passes, "p1");
  await passes.takeWindow(drain, p1, "w1", "a");
  expect(await passes.progress(drain, p1, "w1", [], did(30), found(30), "a")).toBe(1);
  await passes.takeWindow(drain, p1, "w1", "b");
}

const once = { held: 70, failures: [{ waiting: 70, arrived: 100, published: 30 }] };

test("a worker whose window was taken over counts nothing more, and does not end it", async () => {
  const passes = await create();
  await takenOver(passes);
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

test("a worker whose window was taken over and split counts nothing more, and ends none of its parts", async () => {
  const passes = await create();
  await takenOver(passes);
  const split = [0, 1].map((n) => ({ windowId: `w1.${n}`, from: n, to: n, depth: 1 }));
  await passes.endWindow(drain, p1, "w1", { kind: "done", split }, did(10, 10), found(10, 70), "b");
  expect(await passes.progress(drain, p1, "w1", [], did(40), found(40), "a")).toBe("taken-over");
  // A delete of the frozen worker was lost, so the first part lists its record once more: done before.
  await passes.takeWindow(drain, p1, "w1.0", "c");
  const rest: FailureCounts = { a: { seen: 60, arrived: { 7: 60 } } };
  await passes.endWindow(drain, p1, "w1.0", done, { ...nothing, listed: 61, held: 60 }, rest, "c");
  await passes.takeWindow(drain, p1, "w1.1", "d");
  await passes.takeWindow(drain, p1, "w1.1", "e");
  expect(await passes.endWindow(drain, p1, "w1.1", done, nothing, {}, "d")).toEqual({ kind: "stale" });
  expect(await passes.endWindow(drain, p1, "w1.1", done, nothing, {}, "e")).toMatchObject({
    kind: "pass-closed",
    tally: { republished: 40, held: 60 },
  });
  expect(await passes.facts(drain)).toMatchObject({
    held: 60,
    failures: [{ waiting: 60, arrived: 100, published: 40 }],
  });
});

test("what becomes due is recorded, whoever tells it", async () => {
  const passes = await create();
  await takenOver(passes);
  const due = [{ enteredAt: 60_000, dueAt: 70_000 }];
  expect(await passes.progress(drain, p1, "w1", due, did(30), found(30), "a")).toBe("taken-over");
  await passes.endWindow(drain, p1, "w1", done, nothing, {}, "b");
  const { windows } = await open(passes, "p2", { to: 10_000_000, overlapMs: 0 });
  expect(windows.map(({ from }) => from)).toContain(60_000);
});

test("a process that gives its windows up leaves those that another has taken over", async () => {
  const passes = await create();
  await takenOver(passes);
  expect(await passes.endWindow(drain, p1, "w1", { kind: "abandoned" }, nothing, {}, "a")).toEqual({
    kind: "stale",
  });
  expect(await passes.facts(drain)).toMatchObject({ openPass: { windowsLeft: 1 } });
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
