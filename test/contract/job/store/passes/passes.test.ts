import { beforeEach, describe, expect, test } from "vitest";
import {
  maxLeftShown,
  type OpenRequest,
  type Pass,
  type Window,
} from "../../../../../src/job/contracts/passes.ts";
import { drain, source, redisStand, startOfTime } from "../../../../support/ledger-stands.ts";
import {
  addDue,
  asking,
  endWindow,
  epoch,
  fullEveryMs,
  minuteMs,
  nothing,
  open,
  overlapMs,
  passId,
  ranges,
  runPass,
  toFailures,
} from "../../../../support/pass-book.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = () => redisStand(redis.fresh());

/** Within that minute. */
const enteredAt = (minutes: number): number => epoch + minutes * minuteMs + 17;

type Stand = Awaited<ReturnType<typeof create>>;
let stand: Stand;
let passes: Stand["passes"];
beforeEach(async () => {
  stand = await create();
  ({ passes } = stand);
});

const facts = () => passes.facts(drain);
const endInto = (pass: Pass, windowId: string, split: readonly Window[] = []) =>
  passes.endWindow(drain, pass.passId, windowId, { kind: "done", split }, nothing, {});

describe("passes", () => {
  test("the first pass is full, over one window from the beginning to the horizon", async () => {
    expect(await facts()).toBeNull();
    expect(await passes.open(asking("p1"))).toEqual({
      kind: "opened",
      pass: {
        passId: "p1",
        drain,
        source,
        kind: "full",
        mode: "live",
        documentHash: "doc-1",
        countingKey: "as-1",
        from: 0,
        to: epoch,
        countedTo: 0,
        startedAt: startOfTime,
      },
      windows: [{ windowId: "w1", from: 0, to: epoch, depth: 0 }],
      isQuiet: false,
      abandoned: null,
    });
  });

  test("a pass is quiet if the one before was complete and listed nothing", async () => {
    await runPass(passes, "p1");
    expect((await runPass(passes, "p2")).isQuiet).toBe(true);
    await runPass(passes, "p3", {}, { listed: 1 });
    expect((await runPass(passes, "p4")).isQuiet).toBe(false);
    await runPass(passes, "p5", {}, {}, "failed");
    expect((await runPass(passes, "p6")).isQuiet).toBe(false);
  });

  test("a clock that is set back keeps no pass open, and makes the next a full one", async () => {
    await runPass(passes, "p1");
    await open(passes, "p2");
    await stand.advance(-60_000);
    expect(await passes.open(asking("p3"))).toMatchObject({
      kind: "opened",
      pass: { kind: "full" },
      abandoned: { pass: { passId: "p2" } },
    });
  });

  test("a pass whose windows Redis has lost is abandoned at once, and a full pass follows", async () => {
    const { redis: connection } = stand;
    await runPass(passes, "p1");
    expect(await open(passes, "p2")).toMatchObject({ pass: { kind: "new" } });
    const keys = await connection.command("KEYS", `${connection.keyPrefix}:*:windows`);
    expect(keys).toHaveLength(1);
    await connection.command("DEL", ...(keys as readonly string[]));
    expect(await passes.open(asking("p3"))).toMatchObject({
      kind: "opened",
      pass: { passId: "p3", kind: "full" },
      windows: [{ windowId: "w1", from: 0 }],
      abandoned: { pass: { passId: "p2" } },
    });
    expect(await passes.takeWindow(drain, passId("p2"), "w1")).toBeNull();
  });

  test("a pass without progress is abandoned by the next; taking a window, a page and an end are progress", async () => {
    const { pass } = await open(passes, "p1");
    const split = [{ windowId: "w1a", from: 1, to: 2, depth: 1 }];
    const steps = [
      () => passes.takeWindow(drain, pass.passId, "w1"),
      () => passes.progress(drain, pass.passId, "w1", [], nothing, {}),
      () => endInto(pass, "w1", split),
    ];
    for (const step of steps) {
      await stand.advance(300_000);
      await step();
      expect(await passes.open(asking("p2"))).toMatchObject({ kind: "busy" });
    }
    await stand.advance(300_001);
    expect(await passes.open(asking("p2"))).toMatchObject({
      kind: "opened",
      abandoned: { pass: { passId: "p1" } },
      windows: [{ windowId: "w1" }],
    });
    expect(await facts()).toMatchObject({ lastOutcome: "abandoned", openPass: { passId: "p2" } });
    // The worker of the abandoned pass finds its window taken from it.
    expect(await passes.takeWindow(drain, pass.passId, "w1a")).toBeNull();
    expect(await endInto(pass, "w1a")).toEqual({ kind: "stale" });
  });

  test("a window is there until it has ended, and its parts take its place", async () => {
    const { pass } = await open(passes, "p1");
    const parts = [
      { windowId: "w1a", from: 0, to: 10, depth: 1 },
      { windowId: "w1b", from: 11, to: 20, depth: 1 },
    ];
    expect(await endInto(pass, "w1", parts)).toEqual({ kind: "pass-open", left: parts });
    expect(await passes.takeWindow(drain, pass.passId, "w1")).toBeNull();
    expect(await passes.takeWindow(drain, pass.passId, "w1a")).toEqual({
      pass,
      window: parts[0],
      rows: 3,
      care: null,
      unworkable: [],
      unlistable: [],
      workerLostAt: null,
      left: 2,
    });
    const stillOpen = { kind: "pass-open", left: [parts[1]] };
    expect(await endInto(pass, "w1a")).toEqual(stillOpen);
    // The same end once more neither counts again nor brings the parts back.
    expect(await endInto(pass, "w1", parts)).toEqual(stillOpen);
    const closed = { kind: "pass-closed", outcome: "complete", tally: { pages: 3 } };
    expect(await endInto(pass, "w1b")).toMatchObject(closed);
    expect(await endInto(pass, "none")).toEqual({ kind: "stale" });
  });

  test("of an open pass the oldest windows that are left are told, and no more than are worked at once", async () => {
    const { pass } = await open(passes, "p1");
    const parts = Array.from({ length: maxLeftShown + 8 }, (_, part) => ({
      windowId: `w1.${part}`,
      from: part * 10,
      to: part * 10 + 9,
      depth: 1,
    }));
    const oldest = parts.slice(0, maxLeftShown);
    expect(await endInto(pass, "w1", parts.toReversed())).toEqual({ kind: "pass-open", left: oldest });
    const rest = [parts[0], ...parts.slice(2, maxLeftShown + 1)];
    expect(await endInto(pass, "w1.1")).toEqual({ kind: "pass-open", left: rest });
  });

  test("a horizon that slow answers set back a little stays, so that nothing arrives twice; a clock that was wrong moves it", async () => {
    await runPass(passes, "p1");
    const { pass } = await runPass(passes, "p2", { to: epoch - 900 }, { held: 1 });
    expect(pass).toMatchObject({ to: epoch, countedTo: epoch });
    expect((await runPass(passes, "p3", { to: epoch + 500 })).pass.countedTo).toBe(epoch);
    const far = { to: epoch - overlapMs };
    expect((await runPass(passes, "p4", far)).pass.to).toBe(far.to);
  });

  test.each<readonly [string, Partial<OpenRequest>]>([
    ["the dates of the source do not select by entry", { mayBeNew: false }],
    ["the document has changed", { documentHash: "doc-2" }],
    ["the mode has changed", { mode: "plan" }],
    ["another drain counts what it counted", { countingKey: "as-2" }],
  ])("a pass is full because %s", async (_, changes) => {
    await runPass(passes, "p1");
    expect((await open(passes, "p2", changes)).pass.kind).toBe("full");
  });

  test("a pass is full when the last full one is fullEvery ago, or was not complete", async () => {
    await runPass(passes, "p1", {}, {}, "failed");
    expect((await runPass(passes, "p2")).pass.kind).toBe("full");
    await stand.advance(fullEveryMs - 1);
    expect((await runPass(passes, "p3")).pass.kind).toBe("new");
    await stand.advance(1);
    expect((await runPass(passes, "p4")).pass.kind).toBe("full");
    expect((await runPass(passes, "p5")).pass.kind).toBe("new");
  });

  test("a full pass that is asked for is owed until one that began after has completed", async () => {
    await runPass(passes, "p1");
    const { pass } = await open(passes, "p2", { documentHash: "doc-2" });
    await passes.forceFull(drain);
    await endWindow(passes, pass);
    const later = { documentHash: "doc-2" };
    expect((await runPass(passes, "p3", later, {}, "failed")).pass.kind).toBe("full");
    expect((await runPass(passes, "p4", later)).pass.kind).toBe("full");
    expect((await runPass(passes, "p5", later)).pass.kind).toBe("new");
  });

  test("what becomes due is looked at again by its minute of entry, neighbours together, what is new not twice", async () => {
    const { pass } = await open(passes, "p1");
    await addDue(passes, pass, [
      { enteredAt: enteredAt(-10), dueAt: epoch + 100 },
      { enteredAt: enteredAt(-9), dueAt: epoch + 90_000 },
      { enteredAt: enteredAt(-9), dueAt: epoch + 200 },
      { enteredAt: enteredAt(-5), dueAt: epoch + 200 },
      { enteredAt: enteredAt(-4), dueAt: epoch + 50_000 },
      { enteredAt: enteredAt(-1), dueAt: epoch + 200 },
    ]);
    await endWindow(passes, pass);
    const second = await runPass(passes, "p2", { to: epoch + 1_000 });
    expect(ranges(second.windows)).toEqual([
      [-10 * minuteMs, -8 * minuteMs - 1],
      [-5 * minuteMs, -4 * minuteMs - 1],
      [-overlapMs, 1_000],
    ]);
    const third = await runPass(passes, "p3", { to: epoch + 60_000 });
    expect(ranges(third.windows)).toEqual([
      [-4 * minuteMs, -3 * minuteMs - 1],
      [1_000 - overlapMs, 60_000],
    ]);
  });

  test("the earliest due time of a minute holds, in whatever order pages tell it", async () => {
    const { pass } = await runPass(passes, "p1");
    for (const [minutes, dueAt] of [
      [-10, epoch],
      [-10, epoch + 90_000],
      [-20, epoch + 90_000],
      [-20, epoch],
    ] as const) {
      await addDue(passes, pass, [{ enteredAt: epoch + minutes * minuteMs, dueAt }]);
    }
    const { windows } = await open(passes, "p2", { to: epoch + 1_000 });
    expect(ranges(windows).map(([from]) => from)).toEqual([-20 * minuteMs, -10 * minuteMs, -overlapMs]);
  });

  test("a minute that the new range begins in is cut there", async () => {
    const { pass } = await runPass(passes, "p1", { to: epoch + 30_000 });
    await addDue(passes, pass, [{ enteredAt: epoch - overlapMs, dueAt: epoch }]);
    const { windows } = await open(passes, "p2", { to: epoch + 40_000 });
    expect(ranges(windows)).toEqual([
      [-overlapMs, 30_000 - overlapMs - 1],
      [30_000 - overlapMs, 40_000],
    ]);
  });

  test("more than fifty windows become one that spans them", async () => {
    const { pass } = await runPass(passes, "p1");
    const dueLater = Array.from({ length: 51 }, (_, n) => ({
      enteredAt: epoch - (10 + 2 * n) * minuteMs,
      dueAt: epoch,
    }));
    await addDue(passes, pass, dueLater);
    const { windows } = await open(passes, "p2", { to: epoch + 1_000 });
    expect(ranges(windows)).toEqual([
      [-110 * minuteMs, -9 * minuteMs - 1],
      [-overlapMs, 1_000],
    ]);
  });

  test.each(["failed", "was abandoned"] as const)(
    "what was taken by a pass that %s is due again",
    async (how) => {
      const { pass } = await runPass(passes, "p1");
      await addDue(passes, pass, [{ enteredAt: epoch - 10 * minuteMs, dueAt: epoch }]);
      const changes = { to: epoch + 1_000 };
      if (how === "failed") {
        await runPass(passes, "p2", changes, {}, "failed");
      } else {
        await open(passes, "p2", changes);
        await stand.advance(300_001);
      }
      const { windows } = await open(passes, "p3", changes);
      expect(ranges(windows)[0]).toEqual([-10 * minuteMs, -9 * minuteMs - 1]);
    },
  );

  test("a complete pass has taken what was due, a full one too", async () => {
    const { pass } = await runPass(passes, "p1");
    await addDue(passes, pass, [{ enteredAt: epoch - 10 * minuteMs, dueAt: epoch }]);
    expect((await runPass(passes, "p2", { mayBeNew: false })).windows).toHaveLength(1);
    expect((await runPass(passes, "p3")).windows).toHaveLength(1);
  });

  test("minutes that are called back are listed by the next pass, however late they were due; once", async () => {
    const { pass } = await runPass(passes, "p1");
    await addDue(passes, pass, [{ enteredAt: enteredAt(-10), dueAt: epoch + fullEveryMs }]);
    await passes.listAgain(drain, [epoch - 10 * minuteMs, epoch - 20 * minuteMs]);
    await passes.listAgain(drain, [epoch - 20 * minuteMs]);
    await passes.listAgain(drain, []);
    expect(ranges((await runPass(passes, "p3")).windows)).toEqual([
      [-20 * minuteMs, -19 * minuteMs - 1],
      [-10 * minuteMs, -9 * minuteMs - 1],
      [-overlapMs, 0],
    ]);
    expect((await runPass(passes, "p4")).windows).toHaveLength(1);
  });

  test("minutes that are called back while a pass is open are listed by it, before what it has left", async () => {
    await runPass(passes, "p1");
    await passes.forceFull(drain);
    const { pass, windows } = await open(passes, "p2");
    expect(windows).toHaveLength(1);
    // The last ends with the horizon; what lies behind it is for the next pass.
    await passes.listAgain(drain, [epoch, epoch - 10 * minuteMs, epoch + minuteMs]);
    const split = [
      { windowId: "w1.0", from: 0, to: epoch - 1, depth: 1 },
      { windowId: "w1.1", from: epoch, to: epoch, depth: 1 },
    ];
    const stands = { ...nothing, listed: 9, held: 7, republished: 2 };
    const end = { kind: "done", split } as const;
    const verdict = await passes.endWindow(drain, pass.passId, "w1", end, stands, toFailures(stands));
    const left = verdict.kind === "pass-open" ? verdict.left : [];
    expect(ranges(left)).toEqual([
      [-10 * minuteMs, -9 * minuteMs - 1],
      [0, 0],
      [-epoch, -1],
      [0, 0],
    ]);
    for (const { windowId } of left.slice(0, 3)) await endWindow(passes, pass, windowId, stands);
    expect(await endWindow(passes, pass, "w1.1")).toMatchObject({
      kind: "pass-closed",
      tally: { listed: 36, held: 14, republished: 8 },
    });
    // What a split window left, its parts count.
    expect(await facts()).toMatchObject({ held: 7, exact: false });
    expect(ranges((await runPass(passes, "p3")).windows).at(-1)).toEqual([-overlapMs, 0]);
  });

  test("minutes that are called back into a pass that fails are due again", async () => {
    await runPass(passes, "p1");
    const { pass } = await open(passes, "p2");
    await passes.listAgain(drain, [epoch - 10 * minuteMs]);
    await endWindow(passes, pass, "r1");
    await passes.endWindow(drain, pass.passId, "w1", { kind: "failed" }, nothing, {});
    expect(ranges((await runPass(passes, "p3")).windows)[0]).toEqual([-10 * minuteMs, -9 * minuteMs - 1]);
  });
});
