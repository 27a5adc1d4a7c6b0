/** What counts as delivered, if messages may wait at the service: callbacks, and what the service says. */
import { describe, expect, test } from "vitest";
import type { LaneConfig } from "../../../../../src/job/contracts/drains-document.ts";
import { toLaneId } from "../../../../../src/job/message/short-id.ts";
import { drain } from "../../../../support/ledger-stands.ts";
import { config, createLaneStand, driverOf, lane, origin } from "../../../../support/lane-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const minuteMs = 60_000;
const byReport: LaneConfig = { ...config, byReport: true };
const byAsking: LaneConfig = { ...config, byAsking: true };

function createDriven(given: LaneConfig) {
  const stand = createLaneStand(redis.fresh());
  const driver = driverOf(stand, given);
  const checkNow = (step: number, load?: { readonly count: number; readonly max: number }) =>
    stand.book.checked({ lane, step }, stand.now(), [], load);
  const report = async (step: number, count: number, name = "p") => {
    const changes = [];
    for (let index = 0; index < count; index += 1) {
      changes.push(await stand.book.delivered({ lane, step }, `${name}${index}`));
    }
    return changes.at(-1)!;
  };
  const silence = async (step: number, ms: number) => {
    await stand.advance(ms);
    return checkNow(step);
  };
  /** The service says of each step that nothing waits there. */
  const openByAsking = async () => {
    for (const wanted of [5, 50]) {
      const number = await driver.step(wanted);
      await stand.advance(minuteMs);
      await checkNow(number, { count: 0, max: 10 });
    }
  };
  return { ...driver, ...stand, checkNow, report, silence, openByAsking };
}

describe("with callbacks", () => {
  test("silence shows nothing: the step waits, and one fresh canary may go after each watch", async () => {
    const { step, ask, sent, silence, view, advance } = createDriven(byReport);
    const number = await step(5);
    expect(await ask(100)).toMatchObject({ canaries: 0, isUnknown: false });
    expect(await silence(number, minuteMs)).toEqual({ kind: "none" });
    expect(await view()).toMatchObject({
      state: "canary",
      unknown: 5,
      why: "5 of 5 are not known to be delivered",
    });
    expect(await ask(100)).toMatchObject({ canaries: 1, step: number, isUnknown: true });
    await sent(number, 1);
    expect(await ask(100)).toMatchObject({ canaries: 0, isUnknown: true });
    await advance(minuteMs - 1);
    expect(await silence(number, 1)).toEqual({ kind: "none" });
    expect(await ask(100)).toMatchObject({ canaries: 1 });
  });

  test("when one last told of a delivery is known for all lanes", async () => {
    const { book, step, report, advance, now } = createDriven(byReport);
    const number = await step(5);
    expect((await book.views(9)).reportedAt).toBeNull();
    await report(number, 1);
    const reportedAt = now();
    await advance(minuteMs);
    expect((await book.views(9)).reportedAt).toBe(reportedAt);
  });

  test("silence shows that they were delivered where none of what asks can carry a callback, and in no other lane", async () => {
    const { book, silence, view } = createDriven(byReport);
    const ask = { origin, wanted: 5, resumeMinutes: [] };
    const lanes = [
      { ...ask, lane, isSilent: true },
      { ...ask, lane: toLaneId(drain, "https://b.example") },
    ];
    const { answers } = await book.ask(drain, byReport, lanes);
    const sent = answers.map(({ step }, index) => ({
      lane: lanes[index]!.lane,
      step,
      roots: ["a", "b", "c", "d", "e"],
    }));
    await book.sent(sent);
    expect(await silence(sent[0]!.step, minuteMs)).toMatchObject({ kind: "moved" });
    expect(await view()).toMatchObject({ state: "canary", unknown: 0 });
    expect(await book.checked(sent[1]!, Date.now() + minuteMs, [])).toEqual({ kind: "none" });
  });

  test("a canary that is sent late takes the place of the fresh one of its watch", async () => {
    const { ask, sent, silence } = createDriven(byReport);
    const { step } = await ask(2);
    await sent(step, 1);
    expect(await silence(step, 60 * minuteMs)).toEqual({ kind: "none" });
    await sent(step, 1);
    expect(await ask(3)).toMatchObject({ canaries: 0, step });
  });

  test("a step is as large as what is known of it", async () => {
    const { step, report, silence, view } = createDriven(byReport);
    const number = await step(5);
    await report(number, 3);
    expect(await silence(number, minuteMs)).toMatchObject({ from: "canary", to: "ramping", size: 30 });
    // The others are not forgotten: they may be reported later, and count for an hour.
    expect(await view()).toMatchObject({ why: "none of 3 failed again", unknown: 2 });
    await report(number, 2, "late");
    expect(await view()).toMatchObject({ state: "ramping", unknown: 0 });
  });

  test("a canary counts once, however often it is reported and come back", async () => {
    const { step, report, note, silence, view } = createDriven(byReport);
    const number = await step(5);
    await report(number, 2);
    await note(number, "again", ["p0"], 404);
    await report(number, 2);
    expect((await view()).totals.comeBacks).toBe(1);
    expect(await silence(number, minuteMs)).toMatchObject({ size: 20 });
    // Reported a second time: three canaries stay unknown.
    await report(number, 2);
    expect(await view()).toMatchObject({ unknown: 3 });
    await note(number, "again", ["p2", "p2"], 404);
    await note(number, "down", ["p3"]);
    expect(await view()).toMatchObject({ unknown: 1, totals: { comeBacks: 3 } });
    await note(number, "down", ["p0"]);
    expect(await view()).toMatchObject({ state: "halted", totals: { comeBacks: 3 } });
  });

  test("a probe that nobody reports resumes nothing; one that is reported does", async () => {
    const { halt, step, ask, sent, silence, view, advance, report } = createDriven(byReport);
    await halt();
    await advance(5 * minuteMs);
    const number = await step(1);
    expect(await silence(number, minuteMs)).toEqual({ kind: "none" });
    expect(await view()).toMatchObject({ state: "halted", unknown: 1 });
    expect((await ask(9)).canaries).toBe(0);
    await advance(7.5 * minuteMs);
    expect(await ask(9)).toMatchObject({ canaries: 1, step: number });
    await sent(number, 1);
    await report(number, 1, "second");
    expect(await silence(number, minuteMs)).toMatchObject({ from: "halted", to: "ramping" });
  });

  test("of probes without a report, one that is back keeps the lane halted", async () => {
    const { halt, step, silence, view, advance, note } = createDriven(byReport);
    await halt();
    await advance(5 * minuteMs);
    const number = await step(1);
    await silence(number, minuteMs);
    await note(number, "down", ["probe"]);
    expect(await silence(number, minuteMs)).toEqual({ kind: "none" });
    expect(await view()).toMatchObject({ state: "halted", step: number + 1, unknown: 0 });
  });

  test("an open lane that nobody reports sends nothing after two watches, and then starts over", async () => {
    const { ask, sent, report, step, advance, book, checkNow, view } = createDriven(byReport);
    await report(await step(5), 5);
    await report(await step(50), 50, "second");
    expect(await view()).toMatchObject({ state: "open" });
    const { step: number, canaries } = await ask(100);
    await sent(number, canaries);
    let last = 0;
    for (let second = 0; second < 20 * 60 && (await view()).state === "open"; second += 15) {
      await advance(15_000);
      const answer = await ask(100);
      if (answer.state === "open" && answer.canaries + answer.plain > 0) last = second;
      await sent(answer.step, answer.canaries);
      for (const one of (await book.due()).watches) await checkNow(one.step);
    }
    expect(last).toBeLessThan(6 * 60);
    expect(await view()).toMatchObject({ state: "canary", why: "nothing is known of its canaries" });
  });

  test("after an hour a step is run again, with fresh canaries", async () => {
    const { step, silence, ask, view } = createDriven(byReport);
    const number = await step(5);
    for (const minutes of [1, 1, 2, 4, 8, 15, 15, 15]) await silence(number, minutes * minuteMs);
    expect(await view()).toMatchObject({ state: "canary", step: number + 1, unknown: 0 });
    expect((await ask(100)).canaries).toBe(5);
  });
});

describe("with watchDeliveries", () => {
  test("a step asks once, when all of it is sent", async () => {
    const { step, advance, book } = createDriven(byAsking);
    const number = await step(5);
    await advance(minuteMs / 2);
    expect((await book.due()).watches).toMatchObject([{ step: number, asks: true }]);
    await advance(minuteMs / 2);
    const [again] = (await book.due()).watches;
    expect(again).toMatchObject({ step: number });
    expect(again).not.toHaveProperty("asks");
  });

  test("if nothing waits, silence until each has ended is proof", async () => {
    const { step, advance, checkNow } = createDriven(byAsking);
    const number = await step(5);
    await advance(minuteMs / 2);
    expect(await checkNow(number, { count: 9, max: 10 })).toEqual({ kind: "none" });
    await advance(minuteMs / 2);
    // A canary that began only when it was asked may run for three quarters of a watch.
    expect(await checkNow(number)).toEqual({ kind: "none" });
    await advance(minuteMs / 4);
    expect(await checkNow(number)).toMatchObject({ to: "ramping", size: 50 });
  });

  test("if nothing is under way, each has ended", async () => {
    const { step, advance, checkNow } = createDriven(byAsking);
    const number = await step(5);
    await advance(minuteMs / 2);
    await checkNow(number, { count: 0, max: 10 });
    await advance(minuteMs / 2);
    expect(await checkNow(number)).toMatchObject({ to: "ramping", size: 50 });
  });

  test("if messages wait, it is watched and asked again, for longer each time, and never widens", async () => {
    const { step, checkNow, advance, view, book, ask } = createDriven(byAsking);
    const number = await step(5);
    let asked = 0;
    for (let seconds = 0; seconds < 3_600; seconds += 15) {
      await advance(15_000);
      for (const one of (await book.due()).watches) {
        if (one.asks) asked += 1;
        await checkNow(one.step, one.asks ? { count: 10, max: 10 } : undefined);
      }
      expect((await ask(100)).canaries).toBe(0);
    }
    expect(await view()).toMatchObject({ state: "canary", unknown: 5, step: number });
    expect(asked).toBeLessThanOrEqual(8);
  });

  test("a service that does not say leaves silence", async () => {
    const { step, advance, book, now } = createDriven(byAsking);
    const number = await step(5);
    await advance(minuteMs);
    const change = await book.checked({ lane, step: number }, now(), [], { isAbsent: true });
    expect(change).toMatchObject({ to: "ramping", size: 50 });
    expect((await book.views(1)).service).toEqual({ isAbsent: true, at: now() });
  });

  test("an answer from before a canary says nothing about it", async () => {
    const { ask, sent, advance, checkNow } = createDriven(byAsking);
    const { step } = await ask(3);
    await sent(step, 3);
    await checkNow(step, { count: 0, max: 10 });
    await advance(minuteMs / 4);
    await ask(2);
    await sent(step, 2);
    await advance(2 * minuteMs);
    expect(await checkNow(step)).toEqual({ kind: "none" });
  });

  test("an open lane asks in each watch, sends nothing while it waits, and goes on at once", async () => {
    const { openByAsking, advance, checkNow, view, ask, sent } = createDriven(byAsking);
    await openByAsking();
    expect(await view()).toMatchObject({ state: "open" });
    const { step: number } = await ask(1);
    await sent(number, 1);
    for (let minutes = 0; minutes < 5; minutes += 1) {
      await advance(minuteMs);
      await checkNow(number, { count: 10, max: 10 });
    }
    expect(await ask(100)).toMatchObject({ state: "open", plain: 0, canaries: 0, isUnknown: true });
    await advance(minuteMs);
    await checkNow(number, { count: 0, max: 10 });
    const { plain, canaries } = await ask(100);
    expect(plain + canaries).toBe(100);
  });

  test("an open lane drops a step that eight watches showed nothing of, and stays open", async () => {
    const { openByAsking, advance, checkNow, view, ask, sent } = createDriven(byAsking);
    await openByAsking();
    const { step: number } = await ask(1);
    await sent(number, 1);
    await advance(minuteMs);
    await ask(1);
    const showNothing = async (watches: number) => {
      for (let watch = 0; watch < watches; watch += 1) {
        await checkNow(number, { count: 10, max: 10 });
        await advance(minuteMs);
      }
    };
    await showNothing(7);
    expect(await ask(100)).toMatchObject({ state: "open", canaries: 0, plain: 0 });
    await showNothing(1);
    expect(await ask(100)).toMatchObject({ state: "open", isUnknown: false });
    expect(await view()).toMatchObject({ state: "open", why: "1 of 1 are not known to be delivered" });
  });
});

describe("by silence alone", () => {
  test("canaries that fail after their watch halt a lane that had moved on", async () => {
    const { survive, note, view, now, book } = createDriven(config);
    await survive(5);
    const first = (await view()).step - 1;
    await survive(50);
    expect(await view()).toMatchObject({ state: "open" });
    expect(await note(first, "down", ["a"])).toEqual([]);
    expect(await note(first, "down", ["a", "b"])).toMatchObject([
      { from: "open", to: "halted", why: "2 of 5 canaries failed again after their watch, 503" },
    ]);
    expect((await book.views(1)).at).toBe(now());
  });

  test("a watch is as long as the slowest failure lately took, and shorter again as steps survive it", async () => {
    const { step, book, advance, silence, view } = createDriven(config);
    const number = await step(5);
    await advance(minuteMs / 10);
    const slow = {
      lane,
      step: number,
      parentDlqId: "a",
      kind: "down",
      status: 503,
      tookMs: 3 * minuteMs,
    } as const;
    await book.recordComeBacks([slow]);
    expect(await silence(number, 2 * minuteMs)).toEqual({ kind: "none" });
    expect(await silence(number, minuteMs)).toMatchObject({ from: "canary", to: "ramping", size: 50 });
    const second = await step(50);
    expect(await silence(second, minuteMs)).toEqual({ kind: "none" });
    expect(await silence(second, minuteMs / 2)).toMatchObject({ to: "open" });
    expect(await view()).toMatchObject({ unknown: 0 });
  });
});
