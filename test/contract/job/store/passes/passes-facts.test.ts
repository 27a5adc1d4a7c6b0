import { beforeEach, describe, expect, test } from "vitest";
import type { FailureCount, FailureCounts } from "../../../../../src/job/contracts/failures.ts";
import type { OpenRequest, Pass, WindowEnd } from "../../../../../src/job/contracts/passes.ts";
import { noReasons, type Tally } from "../../../../../src/job/contracts/tally.ts";
import { drain, redisStand, startOfTime } from "../../../../support/ledger-stands.ts";
import {
  endWindow,
  epoch,
  minuteMs,
  nothing,
  open,
  overlapMs,
  runPass,
  toFailures,
} from "../../../../support/pass-book.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = () => redisStand(redis.fresh());

const retentionMs = 3 * 86_400_000;
const hourMs = 60 * minuteMs;
const sum = (counts: object) => Object.values(counts).reduce((all: number, one: number) => all + one, 0);

type Stand = Awaited<ReturnType<typeof create>>;
let stand: Stand;
let passes: Stand["passes"];
/** The one that was opened last. */
let pass: Pass;
beforeEach(async () => {
  stand = await create();
  ({ passes } = stand);
});

async function begin(id: string, changes: Partial<OpenRequest> = {}) {
  const opened = await open(passes, id, changes);
  ({ pass } = opened);
  return opened;
}
/** What a window of the open pass has found so far, and at its end. */
const progress = (failures: FailureCounts, tally: Partial<Tally> = {}, windowId = "w1") =>
  passes.progress(drain, pass.passId, windowId, [], { ...nothing, ...tally }, failures);
const end = (failures: FailureCounts, tally: Partial<Tally> = {}, windowId = "w1", counted: string[] = []) =>
  endWindow(passes, pass, windowId, { ...nothing, ...tally }, failures, counted);
const endAs = (how: WindowEnd, failures: FailureCounts, tally: Partial<Tally> = {}, windowId = "w1") =>
  passes.endWindow(drain, pass.passId, windowId, how, { ...nothing, ...tally }, failures);
const intoOne: WindowEnd = { kind: "done", split: [{ windowId: "w1a", from: 0, to: 10, depth: 1 }] };
const act = (id: string, failures: FailureCounts) => passes.countActs(drain, id, failures, retentionMs);
const full = (id: string, failures: FailureCounts, tally: Partial<Tally> = {}) =>
  runPass(passes, id, {}, tally, "done", failures);

const facts = () => passes.facts(drain);
const published = async () => (await facts())!.backlog?.published;
const kindOf = async () => (await facts())!.failures[0]!;
const openPass = async () => (await facts())?.openPass;
const sums = async () => {
  const { due, held, parked, reasons } = (await facts())!;
  const all = { due: sum(reasons.due), held: sum(reasons.held), parked: sum(reasons.parked) };
  expect(all).toEqual({ due, held, parked });
  return reasons;
};
async function failuresById() {
  const { failures } = (await facts())!;
  return failures.toSorted((one, other) => one.id.localeCompare(other.id));
}

/** So many that have arrived, and some of them are published. */
const met = (seen: number, done = 0, more: FailureCount = {}): FailureCount => ({
  seen,
  arrived: { 7: seen },
  ...(done > 0 ? { published: done, arrivedDone: { 7: done } } : {}),
  ...more,
});

const fiveBack = (ofSent: number): FailureCounts => ({
  back: { seen: 5, arrived: { 8: 5 }, failedAgain: 5, failedAgainOf: { sent: ofSent, nobody: 1 } },
});

const arrival = (at: number): FailureCounts => ({ a: met(1, 0, { firstAt: at, lastArrivedAt: at }) });

const newOf = (count: number, hour = 0) => ({
  seen: count,
  arrived: { [hour]: count },
  expires: { [hour + 72]: count },
});

const tookAll = (...ids: readonly string[]): FailureCounts => ({
  a: { taken: Object.fromEntries(ids.map((id) => [id, 1])) },
});

describe("what another drain took", () => {
  test("was listed by the open pass, or never will be: it waits no more, and has arrived once", async () => {
    await begin("p1");
    const split = [
      { windowId: "w1a", from: 0, to: 10, depth: 1 },
      { windowId: "w1b", from: 11, to: epoch, depth: 1 },
    ];
    await endAs({ kind: "done", split }, {});
    await end({ a: newOf(5) }, {}, "w1a");
    const taken = tookAll("5-1", "5-2", "20-1", "20-2", "20-3");
    await act("money", taken);
    await act("money", taken);
    // Whether a window at work has counted them, its end tells.
    expect(await failuresById()).toMatchObject([{ waiting: 3, arrived: 5, expires: { 72: 3 } }]);
    await end({ a: newOf(2) }, {}, "w1b", ["20-1"]);
    expect(await failuresById()).toMatchObject([
      { waiting: 4, arrived: 9, published: 0, expires: { 72: 4 } },
    ]);
    // Of those that were counted before, one is gone, whether a full pass has met it or not.
    await begin("p2", { documentHash: "doc-2" });
    await act("more", tookAll("5-3"));
    await end({ a: { seen: 4, expires: { 72: 4 } } });
    expect(await failuresById()).toMatchObject([{ waiting: 3, arrived: 9, expires: { 72: 3 } }]);
  });
});

test("what another drain counts for the source is apart, and taken off what arrived by the hour", async () => {
  const hour = Math.floor(epoch / hourMs);
  await full("p1", { a: newOf(60, hour), "~a": newOf(20, hour) }, { due: 60 });
  const again = { waiting: 20, parked: 0, arrived: 20, expires: { [hour + 72]: 20 } };
  expect(await failuresById()).toMatchObject([{ id: "a", waiting: 60, arrived: 60, again }]);
  expect(await passes.arrivals(drain)).toEqual(new Map([["a", { [hour]: 40 }]]));
  const acts = { published: 5, parked: 1 };
  await act("apply", { a: acts, "~a": acts });
  expect(await facts()).toMatchObject({
    parked: 1,
    backlog: { published: 5 },
    failures: [{ waiting: 54, parked: 1, published: 5, again: { waiting: 14, parked: 1 } }],
  });
  await begin("p2", { to: epoch + 60_000 });
  const found = { a: { ...newOf(3), failedAgain: 1 }, "~a": newOf(2) };
  await progress(found);
  expect(await facts()).toMatchObject({ arrivals: 3, arrivedAgain: 2 });
  await end(found);
  expect(await facts()).toMatchObject({ arrivals: 3, arrivedAgain: 2 });
  // A drain that counts first now: a full pass finds nothing that another one counts.
  await begin("p3", { documentHash: "doc-2", to: epoch + 61_000 });
  await end({ a: { seen: 58, parkedBefore: 1 } });
  expect(await failuresById()).toMatchObject([{ waiting: 57, again: { waiting: 0, parked: 0 } }]);
});

describe("what passes found", () => {
  test("the last window closes the pass with everything that was found", async () => {
    await begin("p1");
    const first = { ...nothing, listed: 1, republished: 1, oldestRecordAt: 70 };
    await endAs(intoOne, toFailures(first), first);
    await stand.advance(5_000);
    const counts = { due: 1, held: 1, parked: 2, inDoubt: 1, oldestRecordAt: 50 };
    const second = { ...nothing, ...counts, listed: 6, republished: 1 };
    expect(await end(toFailures(second), second, "w1a")).toEqual({
      kind: "pass-closed",
      pass,
      outcome: "complete",
      tally: { ...second, listed: 7, republished: 2, pages: 2 },
      durationMs: 5_000,
    });
    expect(await facts()).toEqual({
      ...counts,
      exact: true,
      mayHaveSkipped: false,
      countedTo: pass.to,
      reasons: nothing.reasons,
      lastSuccessAt: startOfTime + 5_000,
      lastFullAt: startOfTime + 5_000,
      failures: [
        expect.objectContaining({
          id: "one",
          waiting: 3,
          parked: 2,
          arrived: 7,
          published: 2,
          largestHour: 7,
        }),
      ],
      gone: null,
      arrivals: 0,
      arrivedAgain: 0,
      pace: { [startOfTime / 10_000]: 2 },
      backlog: { at: startOfTime, published: 2 },
      openPass: null,
      lastOutcome: "complete",
      counted: { as: "as-1", mode: "live" },
    });
  });

  test("a pass with a failed window is partial: the watermark stays, and the facts are no longer exact", async () => {
    await runPass(passes, "p1", {}, { held: 7 });
    await runPass(passes, "p2", { to: epoch + 30_000 }, { held: 1 }, "failed");
    expect(await facts()).toMatchObject({
      lastOutcome: "partial",
      exact: false,
      held: 7,
      lastSuccessAt: startOfTime,
    });
    expect((await begin("p3", { to: epoch + 60_000 })).pass.from).toBe(epoch - overlapMs);
  });

  test("a pass that passed records over is partial and not exact, but its watermark moves and it counts as full", async () => {
    await runPass(passes, "p1", {}, { held: 7 });
    await stand.advance(31 * minuteMs);
    await begin("p2", { to: epoch + 30_000 });
    expect(await endWindow(passes, pass, "w1", { ...nothing, held: 3, passedOver: 1 })).toMatchObject({
      kind: "pass-closed",
      outcome: "partial",
      tally: { passedOver: 1 },
    });
    const at = startOfTime + 31 * minuteMs;
    expect(await facts()).toMatchObject({ lastOutcome: "partial", exact: false, held: 3 });
    expect(await facts()).toMatchObject({ lastSuccessAt: at, lastFullAt: at });
    await begin("p3", { to: epoch + 60_000 });
    expect(pass).toMatchObject({ kind: "new", from: epoch + 30_000 - overlapMs });
  });

  test("an arrival waits from its page on, and what is published waits no more, in every replica", async () => {
    await begin("p1");
    expect(pass.countedTo).toBe(0);
    const first = { a: { seen: 100, arrived: { 7: 60, 8: 40 }, lastArrivedAt: 90 } };
    await progress(first, { listed: 100, held: 100 });
    expect(await facts()).toMatchObject({ held: 100, exact: false, gone: { a: 0 } });
    const of = { lastArrivedAt: 95, parked: 5, failedAgain: 2 };
    const then = { a: { ...met(150, 30, of), arrived: { 7: 60, 8: 90 } } };
    await progress(then, { listed: 150, held: 115 });
    const counted = { id: "a", waiting: 115, parked: 5, arrived: 150, published: 30, failedAgain: 2 };
    expect(await facts()).toMatchObject({
      held: 115,
      parked: 5,
      failures: [{ ...counted, lastArrivedAt: 95 }],
    });
    await end(then, { listed: 150, held: 115, parked: 5 });
    expect(await facts()).toMatchObject({ held: 115, parked: 5, exact: true, gone: null });
    expect(await kindOf()).toMatchObject(counted);
    // Between two passes: a sweep, or an order of a person.
    await act("first", { a: { published: 10, parked: -1 } });
    expect(await facts()).toMatchObject({
      held: 106,
      parked: 4,
      failures: [{ published: 40 }],
      pace: { [startOfTime / 10_000]: 10 },
      backlog: { published: 10 },
    });
  });

  test("the backlog keeps its size while a page publishes, whose tally comes when it ends", async () => {
    await begin("p1");
    const first = { a: { seen: 100, arrived: { 7: 100 }, published: 30 } };
    await progress(first, { listed: 100 });
    expect(await published()).toBe(30);
    const then = { a: { ...first.a, published: 50 } };
    await progress(then, { listed: 100, republished: 50 });
    expect(await published()).toBe(50);
    await end(then, { listed: 100, held: 50, republished: 50 });
    expect(await published()).toBe(50);
  });

  test("arrivals are kept by hour for a week, with those of the open pass, and the fullest hour longer", async () => {
    const hour = Math.floor(startOfTime / hourMs);
    const arrived = { [hour - 1]: 60, [hour]: 40 };
    const outage = { "republish outage": 100 };
    await full("p1", { a: { seen: 100, arrived, ruled: outage, lastArrivedAt: startOfTime } });
    expect(await passes.arrivals(drain)).toEqual(new Map([["a", arrived]]));

    const to = epoch + 30_000;
    await begin("p2", { to });
    const found = { a: { seen: 30, arrived: { [hour]: 30 }, ruled: { "park late": 30 } } };
    await progress(found);
    const both = new Map([["a", { [hour - 1]: 60, [hour]: 70 }]]);
    expect(await passes.arrivals(drain)).toEqual(both);
    expect(await kindOf()).toMatchObject({ ruled: { ...outage, "park late": 30 } });
    await end(found);
    expect(await passes.arrivals(drain)).toEqual(both);
    expect(await kindOf()).toMatchObject({ largestHour: 70, ruled: { ...outage, "park late": 30 } });

    await stand.advance(168 * hourMs);
    const now = { a: { seen: 130, ruled: { "park late": 130 } } };
    await runPass(passes, "p3", { to: to + 168 * hourMs, mayBeNew: false }, {}, "done", now);
    expect(await passes.arrivals(drain)).toEqual(new Map([["a", {}]]));
    expect(await kindOf()).toMatchObject({ largestHour: 70, ruled: { "park late": 130 } });
  });

  test("decisions of an open full pass are not added to those of the one before it", async () => {
    const ruled = { "hold gateway": 12, "park gone": 600 };
    await full("p1", { a: { ...met(612), ruled } });
    await begin("p2", { documentHash: "doc-2" });
    await progress({ a: { seen: 611, ruled: { ...ruled, "park gone": 599 } } });
    expect((await kindOf()).ruled).toEqual(ruled);
    await end({ a: { seen: 613, ruled: { ...ruled, "park gone": 601 } } });
    expect((await kindOf()).ruled).toEqual({ ...ruled, "park gone": 601 });
  });

  test("a come-back under another kind counts for the kind that was sent, as far as that is known", async () => {
    const kinds = async () =>
      (await failuresById()).map(({ id, failedAgain, failedAgainAs }) => [id, failedAgain, failedAgainAs]);
    await full("p1", { sent: { seen: 9, arrived: { 7: 9 }, published: 5 } });
    const counted = [
      ["back", 1, {}],
      ["sent", 4, { back: 4 }],
    ];
    await begin("p2", { to: epoch + 30_000 });
    await progress(fiveBack(4));
    expect(await kinds()).toEqual(counted);
    await end(fiveBack(4));
    expect(await kinds()).toEqual(counted);
    await act("acts", fiveBack(2));
    expect(await kinds()).toEqual([
      ["back", 4, {}],
      ["sent", 6, { back: 6 }],
    ]);
    // A kind of which this drain lists none: the next full pass keeps what came back of it.
    await act("sent-before", { never: { failedAgain: 3 } });
    await passes.forceFull(drain);
    await full("full", { sent: { seen: 4 } });
    expect((await kinds()).find(([id]) => id === "never")).toEqual(["never", 3, {}]);
    await act("undone", { never: { failedAgain: -3 } });
    // A kind keeps twenty others: the sums stay right.
    const others = Array.from({ length: 40 }, (_, index) => `other-${index}`);
    const parts = Object.fromEntries(others.map((id) => [id, 1]));
    const seen = Object.fromEntries(others.map((id) => [id, { seen: 1, arrived: { 8: 1 } }]));
    await begin("p3", { to: epoch + 60_000 });
    await end({ ...seen, back: { failedAgain: 40, failedAgainOf: parts } });
    const all = await failuresById();
    expect(sum(all.map(({ failedAgain }) => failedAgain))).toBe(50);
    const ofOthers = all.filter(({ failedAgain, id }) => id.startsWith("other-") && failedAgain === 1);
    expect(ofOthers).toHaveLength(18);
  });

  test("a kind comes again: only if it had been empty and still for a quarter of an hour, counted or shown", async () => {
    let count = 1;
    const passWith = async (found: FailureCounts) => {
      await begin(`p${count}`, { to: epoch + 30_000 * count, fullEveryMs: 1e9 });
      count += 1;
      await progress(found);
      const { waiting, reopenedAt } = await kindOf();
      await end(found);
      expect(await kindOf()).toMatchObject({ waiting, reopenedAt });
    };
    await passWith(arrival(startOfTime));
    expect(await kindOf()).toMatchObject({ waiting: 1, reopenedAt: startOfTime, lastMovedAt: startOfTime });
    // While it waits, none is the first again.
    await stand.advance(hourMs);
    await passWith(arrival(startOfTime + hourMs));
    expect(await kindOf()).toMatchObject({ waiting: 2, reopenedAt: startOfTime });
    await stand.advance(hourMs);
    await act("acts", { a: { published: 2 } });
    const emptyAt = startOfTime + 2 * hourMs;
    expect(await kindOf()).toMatchObject({ waiting: 0, lastMovedAt: emptyAt, reopenedAt: startOfTime });
    // A come-back, a minute later.
    await stand.advance(minuteMs);
    await passWith(arrival(emptyAt + minuteMs));
    expect(await kindOf()).toMatchObject({ waiting: 1, reopenedAt: startOfTime });
    await act("more", { a: { dropped: 1 } });
    await stand.advance(17 * minuteMs);
    const againAt = emptyAt + 17 * minuteMs;
    await passWith(arrival(againAt));
    expect(await kindOf()).toMatchObject({ waiting: 1, reopenedAt: againAt });
  });

  test("what others did during a full pass is taken away once, whether the pass listed it before or never", async () => {
    await full("p1", { before: met(10, 0, { parked: 4 }), never: met(10, 0, { parked: 4 }) });
    await passes.forceFull(drain);
    await begin("p2", { to: epoch + 60_000 });
    const acts = { seen: 3, published: 3, parked: -1 };
    await act("apply", { before: acts, never: acts });
    await end({ before: { seen: 10, parkedBefore: 4 }, never: { seen: 7, parkedBefore: 3 } });
    expect(await failuresById()).toMatchObject([
      { id: "before", waiting: 4, parked: 3 },
      { id: "never", waiting: 4, parked: 3 },
    ]);
  });

  test("a pass that fails has counted what it did and what arrived; the next one counts the rest of these as waiting", async () => {
    await runPass(passes, "p1", {}, { held: 10 });
    const to = epoch + 60_000;
    await runPass(passes, "p2", { to }, { held: 5 }, "failed", { a: met(8, 3) });
    const arrived = { arrivals: 8, arrivedAgain: 0 };
    expect(await facts()).toMatchObject({ held: 10, exact: false, ...arrived });
    expect(await failuresById()).toMatchObject([{ arrived: 8, waiting: 0 }, { id: "one" }]);
    await runPass(passes, "p3", { to }, { held: 5 }, "done", { a: met(5) });
    expect(await facts()).toMatchObject({ held: 15, ...arrived });
    expect(await failuresById()).toMatchObject([{ arrived: 8 }, { id: "one" }]);
  });

  test("arrivals never fall and none counts twice, whatever is listed again", async () => {
    await runPass(passes, "p1", {}, { held: 10 });
    expect(await facts()).toMatchObject({ arrivals: 0, failures: [{ arrived: 10 }] });
    const seen: number[][] = [];
    const noteAfter = async (step: Promise<unknown>): Promise<void> => {
      await step;
      const { arrivals, failures } = (await facts())!;
      seen.push([arrivals, failures[0]!.arrived]);
    };
    await begin("p2", { to: epoch + 60_000 });
    await noteAfter(progress({ one: met(6, 2) }));
    await noteAfter(passes.takeWindow(drain, pass.passId, "w1"));
    await noteAfter(progress({ one: met(4, 2) }));
    await noteAfter(endAs(intoOne, { one: met(4, 2) }));
    await noteAfter(progress({ one: met(2) }, {}, "w1a"));
    await noteAfter(endAs({ kind: "failed" }, { one: met(2) }, {}, "w1a"));

    // The next pass lists the two again that were left, and three more.
    await begin("p3", { to: epoch + 60_000 });
    await noteAfter(progress({ one: { arrived: { 7: 5 } } }));
    await stand.advance(300_001);
    // It was abandoned, and one of them was deleted by somebody before the next pass.
    await noteAfter(begin("p4", { to: epoch + 60_000 }));
    await noteAfter(end({ one: met(4) }));
    await noteAfter(
      runPass(passes, "p5", { to: epoch + 90_000 }, {}, "done", { one: { arrived: { 7: 1 } } }),
    );
    expect(seen).toEqual([
      ...Array.from({ length: 6 }, () => [6, 16]),
      ...Array.from({ length: 3 }, () => [9, 19]),
      [10, 20],
    ]);
  });

  test("a pass that listed behind its deletes ends no backlog: a full pass without such pages does", async () => {
    const drained = { ...nothing, listed: 50, republished: 50, deleted: 50, pagesBehindDeletes: 1 };
    await runPass(passes, "p1", {}, drained);
    const unsure = { held: 0, exact: false, mayHaveSkipped: true, backlog: { published: 50 } };
    expect(await facts()).toMatchObject(unsure);
    // It finds fifty that were skipped, and may skip others again.
    await begin("p2", { to: epoch + 60_000 });
    expect(pass.kind).toBe("full");
    await endWindow(passes, pass, "w1", drained);
    expect(await facts()).toMatchObject({ ...unsure, backlog: { published: 100 } });
    expect((await runPass(passes, "p3", { to: epoch + 90_000 })).pass.kind).toBe("full");
    expect(await facts()).toMatchObject({ exact: true, mayHaveSkipped: false, backlog: null });
    expect((await begin("p4", { to: epoch + 99_000 })).pass.kind).toBe("new");
  });

  test("a drain with much that is left is listed in full no sooner because it may have skipped some", async () => {
    await runPass(passes, "p1", {}, { parked: 1_001, pagesBehindDeletes: 1 });
    expect((await begin("p2", { to: epoch + 60_000 })).pass.kind).toBe("new");
  });

  test("reasons of what is held add up to its count: those that the last pass met, then the known ones", async () => {
    const first = {
      due: { "rate-limit": 2 },
      held: { "too-young": 3, rule: 4 },
      parked: { refused: 1, rule: 3 },
    };
    const counts = { due: 2, held: 7, parked: 4, reasons: first };
    const one = { ...toFailures(counts)["one"], ruled: { "hold young": 4 } };
    await full("p1", { one }, counts);
    expect(await sums()).toEqual(first);
    const reasons = { due: { paused: 2 }, held: { guard: 1, rule: 1 }, parked: {} };
    await full("p2", { one: { published: 2 } }, { listed: 4, due: 2, reasons });
    expect(await sums()).toEqual({ due: { paused: 2 }, held: { guard: 1, rule: 4 }, parked: first.parked });
    await full("p3", { one: { published: 20 } }, { reasons: noReasons });
    expect((await sums()).held).toEqual({});
  });

  test("a pass that lists nothing, open or ended, changes no reason of what it did not meet", async () => {
    const young = { due: 0, held: 7, parked: 0, reasons: { due: {}, held: { "too-young": 7 }, parked: {} } };
    const failures = toFailures(young);
    await full("p1", failures, young);
    const guarded = { listed: 7, held: 7, reasons: { due: {}, held: { guard: 7 }, parked: {} } };
    await runPass(passes, "p2", { to: epoch + 60_000 }, guarded, "done", {
      one: { ...failures["one"], arrived: {} },
    });
    await begin("p3", { to: epoch + 120_000 });
    expect((await sums()).held).toEqual({ guard: 7 });
    await end({});
    expect((await sums()).held).toEqual({ guard: 7 });
  });

  test("an open pass tells what it has found so far: its windows that have ended, and those that are worked now", async () => {
    await begin("p1");
    const none = { listed: 0, republished: 0, due: 0, held: 0, parked: 0 };
    expect(await openPass()).toMatchObject({ passId: "p1", kind: "full", windowsLeft: 1, soFar: none });
    const split = [
      { windowId: "w1a", from: 0, to: 9, depth: 1 },
      { windowId: "w1b", from: 10, to: 19, depth: 1 },
    ];
    await endAs({ kind: "done", split }, {});
    expect(await openPass()).toMatchObject({ windowsLeft: 2, soFar: none });
    const page = { listed: 100, republished: 60, due: 10, held: 25, parked: 5 };
    expect(await progress({}, page, "w1a")).toBe(2);
    // Of all pages of the window.
    for (const listed of [100, 50]) await progress({}, { listed, held: 50 }, "w1b");
    expect((await openPass())?.soFar).toMatchObject({ ...page, listed: 150, held: 75 });
    await end({}, { ...page, listed: 120, held: 45 }, "w1a");
    // Reported by somebody who works a window that has ended, or none.
    for (const windowId of ["w1a", "w9"]) await progress({}, page, windowId);
    const soFar = { ...page, listed: 170, held: 95 };
    expect(await openPass()).toMatchObject({ windowsLeft: 1, soFar });
    await end({}, { listed: 50, held: 50 }, "w1b");
    expect(await openPass()).toBeNull();
    expect(await progress({}, page, "w1b")).toBeNull();
  });

  test("the end that closed a pass is answered again, until the next one has closed", async () => {
    const first = (await begin("p1")).pass;
    const closed = await endWindow(passes, first, "w1", { ...nothing, listed: 1 }, {});
    expect(closed).toMatchObject({ kind: "pass-closed" });
    expect(await endWindow(passes, first, "w1", nothing, {})).toEqual(closed);
    await runPass(passes, "p2");
    expect(await endWindow(passes, first, "w1", nothing, {})).toEqual({ kind: "stale" });
  });
});
