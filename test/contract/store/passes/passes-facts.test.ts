import { describe, expect, test } from "vitest";
import { drain, redisStand, startOfTime } from "../../../support/ledger-stands.ts";
import { endWindow, epoch, nothing, open, overlapMs, runPass } from "../../../support/pass-book.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const create = () => redisStand(redis.fresh());

const sum = (counts: object) => Object.values(counts).reduce((all: number, one: number) => all + one, 0);

describe("what passes found", () => {
  test("the last window closes the pass with everything that was found", async () => {
    const stand = await create();
    const { passes } = stand;
    const { pass } = await open(passes, "p1");
    const split = [{ windowId: "w1a", from: 0, to: 10, depth: 1 }];
    const first = { ...nothing, listed: 3, held: 1, parked: 2, oldestRecordAt: 70 };
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split }, first);
    await stand.advance(5_000);
    const second = { ...nothing, listed: 4, due: 1, inDoubt: 1, republished: 2, oldestRecordAt: 50 };
    const verdict = await endWindow(passes, pass, "w1a", second);
    expect(verdict).toEqual({
      kind: "pass-closed",
      pass,
      outcome: "complete",
      tally: {
        ...nothing,
        listed: 7,
        due: 1,
        held: 1,
        parked: 2,
        inDoubt: 1,
        republished: 2,
        pages: 2,
        oldestRecordAt: 50,
      },
      durationMs: 5_000,
    });
    expect(await passes.facts(drain)).toEqual({
      due: 1,
      held: 1,
      parked: 2,
      inDoubt: 1,
      exact: true,
      reasons: nothing.reasons,
      oldestRecordAt: 50,
      lastSuccessAt: startOfTime + 5_000,
      lastFullAt: startOfTime + 5_000,
      openPass: null,
      lastOutcome: "complete",
    });
  });

  test("a pass with a failed window is partial: the watermark stays, and the facts are no longer exact", async () => {
    const { passes } = await create();
    await runPass(passes, "p1", {}, { held: 7 });
    await runPass(passes, "p2", { to: epoch + 30_000 }, { held: 1 }, "failed");
    expect(await passes.facts(drain)).toMatchObject({
      lastOutcome: "partial",
      exact: false,
      held: 7,
      lastSuccessAt: startOfTime,
    });
    expect((await open(passes, "p3", { to: epoch + 60_000 })).pass.from).toBe(epoch - overlapMs);
  });

  test("a pass that passed records over is partial and not exact, but its watermark moves and it counts as full", async () => {
    const stand = await create();
    const { passes } = stand;
    await runPass(passes, "p1", {}, { held: 7 });
    const minuteMs = 60_000;
    await stand.advance(31 * minuteMs);
    const { pass } = await open(passes, "p2", { to: epoch + 30_000 });
    const found = { ...nothing, held: 3, passedOver: 1 };
    const verdict = await endWindow(passes, pass, "w1", found);
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "partial", tally: { passedOver: 1 } });
    const at = startOfTime + 31 * minuteMs;
    expect(await passes.facts(drain)).toMatchObject({
      lastOutcome: "partial",
      exact: false,
      held: 3,
      lastSuccessAt: at,
      lastFullAt: at,
    });
    const next = await open(passes, "p3", { to: epoch + 60_000 });
    expect(next.pass).toMatchObject({ kind: "new", from: epoch + 30_000 - overlapMs });
  });

  test("after a pass over what is new, due is what it left; the rest is carried forward", async () => {
    const { passes } = await create();
    await runPass(passes, "p1", {}, { due: 4, held: 10, parked: 3, inDoubt: 2, oldestRecordAt: 70 });
    await runPass(
      passes,
      "p2",
      {},
      { due: 1, held: 2, republished: 4, parked: 5, inDoubt: 0, oldestRecordAt: 90 },
    );
    expect(await passes.facts(drain)).toMatchObject({
      due: 1,
      held: 6,
      parked: 5,
      inDoubt: 2,
      exact: false,
      oldestRecordAt: 70,
    });
  });

  test("in plan mode, where nothing leaves, due is the most that any pass since the last full one found", async () => {
    const { passes } = await create();
    const due: (number | undefined)[] = [];
    for (const [index, found] of [4, 1, 6, 2].entries()) {
      await runPass(passes, `p${index}`, { mode: "plan" }, { due: found });
      due.push((await passes.facts(drain))?.due);
    }
    await runPass(passes, "p4", { mode: "plan" }, { due: 9 }, "failed");
    due.push((await passes.facts(drain))?.due);
    await runPass(passes, "p5", { mode: "plan", mayBeNew: false }, { due: 3 });
    due.push((await passes.facts(drain))?.due);
    expect(due).toEqual([4, 4, 6, 6, 6, 3]);
    // A live drain's passes list everything that is due, so each has the count.
    await runPass(passes, "p6", { mode: "live" }, { due: 5 });
    await runPass(passes, "p7", { mode: "live" }, { due: 2 });
    expect((await passes.facts(drain))?.due).toBe(2);
  });

  test("reasons add up over windows; those of held and parked are carried forward up to their count", async () => {
    const { passes } = await create();
    const { pass } = await open(passes, "p1");
    const split = [{ windowId: "w1a", from: 0, to: 10, depth: 1 }];
    const first = { due: { "rate-limit": 2 }, held: { "too-young": 1, rule: 4 }, parked: { refused: 1 } };
    const second = { due: {}, held: { "too-young": 2 }, parked: { rule: 3 } };
    await passes.endWindow(
      drain,
      pass.passId,
      "w1",
      { kind: "done", split },
      { ...nothing, held: 5, parked: 1, reasons: first },
    );
    const verdict = await endWindow(passes, pass, "w1a", { ...nothing, held: 2, parked: 3, reasons: second });
    const reasons = {
      due: { "rate-limit": 2 },
      held: { "too-young": 3, rule: 4 },
      parked: { refused: 1, rule: 3 },
    };
    expect(verdict).toMatchObject({ tally: { reasons } });
    expect(await passes.facts(drain)).toMatchObject({ reasons });
    const met = { due: { paused: 5 }, held: { guard: 1, rule: 1 }, parked: {} };
    await runPass(passes, "p2", {}, { due: 5, held: 2, republished: 1, reasons: met });
    // Seven were held and one was published: two were met, and of the other four the most frequent are gone
    // first.
    const carried = {
      due: { paused: 5 },
      held: { guard: 1, rule: 4, "too-young": 1 },
      parked: reasons.parked,
    };
    const facts = await passes.facts(drain);
    expect(facts).toMatchObject({ held: 6, parked: 4 });
    expect(facts?.reasons).toEqual(carried);
    await runPass(passes, "p3", {}, { reasons: { ...nothing.reasons, held: { guard: 9 } } }, "failed");
    expect((await passes.facts(drain))?.reasons).toEqual(carried);
    await runPass(passes, "p4", { mayBeNew: false });
    expect((await passes.facts(drain))?.reasons).toEqual(nothing.reasons);
  });

  test("after a pass over what is new the counts of held and parked are the sums of their reasons", async () => {
    const { passes } = await create();
    const sums = async () => {
      const { held, parked, reasons } = (await passes.facts(drain))!;
      expect({ held: sum(reasons.held), parked: sum(reasons.parked) }).toEqual({ held, parked });
      return reasons.held;
    };
    await runPass(passes, "p1", {}, { republished: 9 });
    // Nothing was held when the last full pass ended.
    const waiting = { due: {}, held: { waiting: 690, "too-young": 678 }, parked: { refused: 1 } };
    await runPass(passes, "p2", {}, { held: 1_368, parked: 1, reasons: waiting });
    expect(await sums()).toEqual(waiting.held);
    // It listed nothing.
    await runPass(passes, "p3");
    expect(await sums()).toEqual(waiting.held);
    const halted = { due: {}, held: { "lane-halted": 500 }, parked: { refused: 1, rule: 2 } };
    await runPass(passes, "p4", {}, { held: 500, republished: 300, parked: 3, reasons: halted });
    expect(await sums()).toEqual({ "lane-halted": 500, waiting: 568 });
    await runPass(passes, "p5", {}, { republished: 2_000 });
    expect(await sums()).toEqual({});
  });

  test("an open pass tells what it has found so far: its windows that have ended, and those that are worked now", async () => {
    const { passes } = await create();
    const { pass } = await open(passes, "p1");
    const openPass = async () => (await passes.facts(drain))?.openPass;
    const none = { listed: 0, republished: 0, due: 0, held: 0, parked: 0 };
    expect(await openPass()).toMatchObject({ passId: "p1", windowsLeft: 1, soFar: none });
    const split = ["w1a", "w1b"].map((windowId, part) => ({
      windowId,
      from: 10 * part,
      to: 10 * part + 9,
      depth: 1,
    }));
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split }, nothing);
    expect(await openPass()).toMatchObject({ windowsLeft: 2, soFar: none });
    const page = { listed: 100, republished: 60, due: 10, held: 25, parked: 5 };
    expect(await passes.progress(drain, pass.passId, "w1a", [], page)).toBe(2);
    await passes.progress(drain, pass.passId, "w1b", [], { ...none, listed: 100 });
    // Of all pages of the window, also when it is begun again.
    await passes.progress(drain, pass.passId, "w1b", [], { ...none, listed: 50, held: 50 });
    expect((await openPass())?.soFar).toEqual({ listed: 150, republished: 60, due: 10, held: 75, parked: 5 });
    const done = { kind: "done", split: [] } as const;
    await passes.endWindow(drain, pass.passId, "w1a", done, { ...nothing, ...page, listed: 120, held: 45 });
    // Told by somebody who works a window that has ended, or none.
    await passes.progress(drain, pass.passId, "w1a", [], page);
    await passes.progress(drain, pass.passId, "w9", [], page);
    const soFar = { listed: 170, republished: 60, due: 10, held: 95, parked: 5 };
    expect(await openPass()).toMatchObject({ windowsLeft: 1, soFar });
    await passes.endWindow(drain, pass.passId, "w1b", done, { ...nothing, listed: 50, held: 50 });
    expect(await openPass()).toBeNull();
    expect(await passes.progress(drain, pass.passId, "w1b", [], page)).toBeNull();
  });

  test("the end that closed a pass is answered again, until the next one has closed", async () => {
    const { passes } = await create();
    const { pass } = await open(passes, "p1");
    const end = { kind: "done", split: [] } as const;
    const closed = await passes.endWindow(drain, pass.passId, "w1", end, { ...nothing, listed: 1 });
    expect(closed).toMatchObject({ kind: "pass-closed" });
    expect(await passes.endWindow(drain, pass.passId, "w1", end, nothing)).toEqual(closed);
    await runPass(passes, "p2");
    expect(await passes.endWindow(drain, pass.passId, "w1", end, nothing)).toEqual({ kind: "stale" });
  });
});
