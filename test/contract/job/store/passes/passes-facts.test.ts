import { beforeEach, describe, expect, test } from "vitest";
import type { FailureCounts } from "../../../../../src/job/contracts/failures.ts";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import { noReasons } from "../../../../../src/job/contracts/tally.ts";
import { drain, redisStand, startOfTime } from "../../../../support/ledger-stands.ts";
import {
  endWindow,
  epoch,
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
const sum = (counts: object) => Object.values(counts).reduce((all: number, one: number) => all + one, 0);

const facts = () => passes.facts(drain);
const published = async () => (await facts())!.backlog?.published;
const kindsOf = async () => (await facts())?.failures;
const kindOf = async () => (await facts())!.failures[0]!;
const ruled = async () => (await facts())?.reasons.held.otherwise;
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

const held = (id: string, seen: number): FailureCounts => ({
  [id]: { seen, ruled: { "hold otherwise": seen } },
});

const fiveBack = (ofSent: number): FailureCounts => ({
  back: { seen: 5, arrived: { 8: 5 }, failedAgain: 5, failedAgainOf: { sent: ofSent, nobody: 1 } },
});

const arrival = (at: number): FailureCounts => ({
  a: { seen: 1, arrived: { 7: 1 }, firstAt: at, lastArrivedAt: at },
});

const newOf = (count: number, hour = 0) => ({
  seen: count,
  arrived: { [hour]: count },
  expires: { [hour + 72]: count },
});

const tookAll = (...ids: readonly string[]): FailureCounts => ({
  a: { taken: Object.fromEntries(ids.map((id) => [id, 1])) },
});

/** Two of those that have arrived are published. */
const twoDone = (arrived: number): FailureCounts => ({
  one: { seen: arrived, arrived: { 7: arrived }, published: 2, arrivedDone: { 7: 2 } },
});

type Stand = Awaited<ReturnType<typeof create>>;
let stand: Stand;
let passes: Stand["passes"];
beforeEach(async () => {
  stand = await create();
  ({ passes } = stand);
});

describe("what another drain took", () => {
  test("was listed by the open pass, or never will be: it waits no more, and has arrived once", async () => {
    const { pass } = await open(passes, "p1");
    const split = [
      { windowId: "w1a", from: 0, to: 10, depth: 1 },
      { windowId: "w1b", from: 11, to: epoch, depth: 1 },
    ];
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split }, nothing, {});
    await endWindow(passes, pass, "w1a", nothing, { a: { seen: 5, arrived: { 0: 5 }, expires: { 72: 5 } } });
    const taken = tookAll("5-1", "5-2", "20-1", "20-2", "20-3");
    await passes.countActs(drain, "money", taken, retentionMs);
    await passes.countActs(drain, "money", taken, retentionMs);
    // Whether a window at work has counted them, its end tells.
    expect(await failuresById()).toMatchObject([{ waiting: 3, arrived: 5, expires: { 72: 3 } }]);
    await endWindow(passes, pass, "w1b", nothing, { a: newOf(2) }, ["20-1"]);
    expect(await failuresById()).toMatchObject([
      { waiting: 4, arrived: 9, published: 0, expires: { 72: 4 } },
    ]);
    // Of those that were counted before, one is gone, whether a full pass has met it or not.
    const { pass: full } = await open(passes, "p2", { documentHash: "doc-2" });
    await passes.countActs(drain, "more", tookAll("5-3"), retentionMs);
    await endWindow(passes, full, "w1", nothing, { a: { seen: 4, expires: { 72: 4 } } });
    expect(await failuresById()).toMatchObject([{ waiting: 3, arrived: 9, expires: { 72: 3 } }]);
  });

  test.each([
    ["done", { waiting: 3, arrived: 5 }],
    ["failed", { waiting: 0, arrived: 5 }],
    ["abandoned", { waiting: 0, arrived: 5 }],
  ] as const)(
    "has arrived once if the worker of its window was killed, and another one ends it: %s",
    async (kind, left) => {
      const { pass } = await open(passes, "p1");
      await passes.takeWindow(drain, pass.passId, "w1", "killed");
      await passes.progress(drain, pass.passId, "w1", [], nothing, { a: newOf(5) }, "killed");
      await passes.countActs(drain, "money", tookAll("20-1", "20-2"), retentionMs);
      if (kind === "abandoned") {
        await stand.advance(3_600_000);
        await open(passes, "p2");
      } else {
        await passes.takeWindow(drain, pass.passId, "w1", "other", true);
        const end = kind === "done" ? { kind, split: [] } : { kind };
        const counted = ["20-2" as DlqId];
        await passes.endWindow(drain, pass.passId, "w1", end, nothing, { a: newOf(4) }, "other", counted);
      }
      expect(await failuresById()).toMatchObject([left]);
    },
  );
});

test("what another drain counts for the source is apart, and taken off what arrived by the hour", async () => {
  const hour = Math.floor(epoch / 3_600_000);
  const first = { a: newOf(60, hour), "~a": newOf(20, hour) };
  await runPass(passes, "p1", {}, { due: 60 }, "done", first);
  const again = { waiting: 20, parked: 0, arrived: 20, expires: { [hour + 72]: 20 } };
  expect(await failuresById()).toMatchObject([{ id: "a", waiting: 60, arrived: 60, again }]);
  expect(await passes.arrivals(drain)).toEqual(new Map([["a", { [hour]: 40 }]]));
  const act = { published: 5, parked: 1 };
  await passes.countActs(drain, "apply", { a: act, "~a": act }, retentionMs);
  expect(await facts()).toMatchObject({
    parked: 1,
    backlog: { published: 5 },
    failures: [{ waiting: 54, parked: 1, published: 5, again: { waiting: 14, parked: 1 } }],
  });
  const { pass } = await open(passes, "p2", { to: epoch + 60_000 });
  const found = { a: { ...newOf(3), failedAgain: 1 }, "~a": newOf(2) };
  await passes.progress(drain, pass.passId, "w1", [], nothing, found);
  expect(await facts()).toMatchObject({ arrivals: 3, arrivedAgain: 2 });
  await endWindow(passes, pass, "w1", nothing, found);
  expect(await facts()).toMatchObject({ arrivals: 3, arrivedAgain: 2 });
  // A drain that counts first now: a full pass finds nothing that another one counts.
  const { pass: full } = await open(passes, "p3", { documentHash: "doc-2", to: epoch + 61_000 });
  await endWindow(passes, full, "w1", nothing, { a: { seen: 58, parkedBefore: 1 } });
  expect(await failuresById()).toMatchObject([{ waiting: 57, again: { waiting: 0, parked: 0 } }]);
});

test("what another drain took of a kind that rules held is held no more", async () => {
  const failures: FailureCounts = {
    a: { seen: 50, arrived: { 0: 50 }, ruled: { "hold otherwise": 50 } },
    b: { seen: 60, arrived: { 0: 60 }, ruled: { "republish outage": 60 } },
  };
  const reasons = { ...noReasons, held: { otherwise: 50 } };
  await runPass(passes, "p1", {}, { due: 60, held: 50, reasons }, "done", failures);
  expect(await facts()).toMatchObject({
    due: 60,
    held: 50,
    reasons: { held: { otherwise: 50 } },
  });
  await passes.countActs(
    drain,
    "money",
    tookAll(...Array.from({ length: 45 }, (_, index) => `5-${index}`)),
    retentionMs,
  );
  expect(await facts()).toMatchObject({ due: 60, held: 5, reasons: { held: { otherwise: 5 } } });
});

describe("what passes found", () => {
  test("the last window closes the pass with everything that was found", async () => {
    const { pass } = await open(passes, "p1");
    const split = [{ windowId: "w1a", from: 0, to: 10, depth: 1 }];
    const first = { ...nothing, listed: 1, republished: 1, oldestRecordAt: 70 };
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split }, first, toFailures(first));
    await stand.advance(5_000);
    const second = {
      ...nothing,
      listed: 6,
      due: 1,
      held: 1,
      parked: 2,
      inDoubt: 1,
      republished: 1,
      oldestRecordAt: 50,
    };
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
    expect(await facts()).toEqual({
      due: 1,
      held: 1,
      parked: 2,
      inDoubt: 1,
      exact: true,
      mayHaveSkipped: false,
      countedTo: pass.to,
      reasons: nothing.reasons,
      oldestRecordAt: 50,
      lastSuccessAt: startOfTime + 5_000,
      lastFullAt: startOfTime + 5_000,
      failures: [
        {
          id: "one",
          waiting: 3,
          parked: 2,
          arrived: 7,
          published: 2,
          discarded: 0,
          failedAgain: 0,
          failedAgainAs: {},
          lastArrivedAt: null,
          largestHour: 7,
          ruled: {},
          expires: {},
          oldestAt: null,
          since: null,
          lastMovedAt: startOfTime + 5_000,
          reopenedAt: 0,
        },
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
    expect((await open(passes, "p3", { to: epoch + 60_000 })).pass.from).toBe(epoch - overlapMs);
  });

  test("a pass that passed records over is partial and not exact, but its watermark moves and it counts as full", async () => {
    await runPass(passes, "p1", {}, { held: 7 });
    const minuteMs = 60_000;
    await stand.advance(31 * minuteMs);
    const { pass } = await open(passes, "p2", { to: epoch + 30_000 });
    const found = { ...nothing, held: 3, passedOver: 1 };
    const verdict = await endWindow(passes, pass, "w1", found);
    expect(verdict).toMatchObject({ kind: "pass-closed", outcome: "partial", tally: { passedOver: 1 } });
    const at = startOfTime + 31 * minuteMs;
    expect(await facts()).toMatchObject({
      lastOutcome: "partial",
      exact: false,
      held: 3,
      lastSuccessAt: at,
      lastFullAt: at,
    });
    const next = await open(passes, "p3", { to: epoch + 60_000 });
    expect(next.pass).toMatchObject({ kind: "new", from: epoch + 30_000 - overlapMs });
  });

  test("an arrival waits from its page on, and what is published waits no more, in every replica", async () => {
    const { pass } = await open(passes, "p1");
    expect(pass.countedTo).toBe(0);
    const first = { a: { seen: 100, arrived: { 7: 60, 8: 40 }, lastArrivedAt: 90 } };
    await passes.progress(drain, pass.passId, "w1", [], { ...nothing, listed: 100, held: 100 }, first);
    expect(await facts()).toMatchObject({ held: 100, exact: false, gone: { a: 0 } });
    const then = {
      a: {
        seen: 150,
        arrived: { 7: 60, 8: 90 },
        lastArrivedAt: 95,
        published: 30,
        arrivedDone: { 7: 30 },
        parked: 5,
        failedAgain: 2,
      },
    };
    await passes.progress(drain, pass.passId, "w1", [], { ...nothing, listed: 150, held: 115 }, then);
    const counted = { id: "a", waiting: 115, parked: 5, arrived: 150, published: 30, failedAgain: 2 };
    expect(await facts()).toMatchObject({
      held: 115,
      parked: 5,
      failures: [{ ...counted, lastArrivedAt: 95 }],
    });
    await endWindow(passes, pass, "w1", { ...nothing, listed: 150, held: 115, parked: 5 }, then);
    expect(await facts()).toMatchObject({
      held: 115,
      parked: 5,
      exact: true,
      gone: null,
      failures: [counted],
    });
    // Between two passes: a sweep, or an order of a person.
    await passes.countActs(drain, "first", { a: { published: 10, parked: -1 } }, retentionMs);
    expect(await facts()).toMatchObject({
      held: 106,
      parked: 4,
      failures: [{ published: 40 }],
      pace: { [startOfTime / 10_000]: 10 },
      backlog: { published: 10 },
    });
  });

  test("the backlog keeps its size while a page publishes, whose tally comes when it ends", async () => {
    const { pass } = await open(passes, "p1");
    const first = { a: { seen: 100, arrived: { 7: 100 }, published: 30 } };
    await passes.progress(drain, pass.passId, "w1", [], { ...nothing, listed: 100 }, first);
    expect(await published()).toBe(30);
    const then = { a: { ...first.a, published: 50 } };
    await passes.progress(drain, pass.passId, "w1", [], { ...nothing, listed: 100, republished: 50 }, then);
    expect(await published()).toBe(50);
    await endWindow(passes, pass, "w1", { ...nothing, listed: 100, held: 50, republished: 50 }, then);
    expect(await published()).toBe(50);
  });

  test("arrivals are kept by hour for a week, with those of the open pass, and the fullest hour longer", async () => {
    const hour = Math.floor(startOfTime / 3_600_000);
    const arrived = { [hour - 1]: 60, [hour]: 40 };
    const ruled = { "republish outage": 100 };
    await runPass(passes, "p1", {}, {}, "done", {
      a: { seen: 100, arrived, ruled, lastArrivedAt: startOfTime },
    });
    expect(await passes.arrivals(drain)).toEqual(new Map([["a", arrived]]));

    const to = epoch + 30_000;
    const { pass } = await open(passes, "p2", { to });
    const found = { a: { seen: 30, arrived: { [hour]: 30 }, ruled: { "park late": 30 } } };
    await passes.progress(drain, pass.passId, "w1", [], nothing, found);
    const both = new Map([["a", { [hour - 1]: 60, [hour]: 70 }]]);
    expect(await passes.arrivals(drain)).toEqual(both);
    expect(await kindsOf()).toMatchObject([{ ruled: { "republish outage": 100, "park late": 30 } }]);
    await endWindow(passes, pass, "w1", nothing, found);
    expect(await passes.arrivals(drain)).toEqual(both);
    expect(await kindsOf()).toMatchObject([
      { largestHour: 70, ruled: { "republish outage": 100, "park late": 30 } },
    ]);

    await stand.advance(168 * 3_600_000);
    const now = { a: { seen: 130, ruled: { "park late": 130 } } };
    await runPass(passes, "p3", { to: to + 168 * 3_600_000, mayBeNew: false }, {}, "done", now);
    expect(await passes.arrivals(drain)).toEqual(new Map([["a", {}]]));
    expect(await kindsOf()).toMatchObject([{ largestHour: 70, ruled: { "park late": 130 } }]);
  });

  test("a come-back under another kind counts for the kind that was sent, as far as that is known", async () => {
    const kinds = async () =>
      (await failuresById()).map(({ id, failedAgain, failedAgainAs }) => [id, failedAgain, failedAgainAs]);
    await runPass(passes, "p1", {}, {}, "done", { sent: { seen: 9, arrived: { 7: 9 }, published: 5 } });
    const counted = [
      ["back", 1, {}],
      ["sent", 4, { back: 4 }],
    ];
    const { pass } = await open(passes, "p2", { to: epoch + 30_000 });
    await passes.progress(drain, pass.passId, "w1", [], nothing, fiveBack(4));
    expect(await kinds()).toEqual(counted);
    await endWindow(passes, pass, "w1", nothing, fiveBack(4));
    expect(await kinds()).toEqual(counted);
    await passes.countActs(drain, "acts", fiveBack(2), retentionMs);
    expect(await kinds()).toEqual([
      ["back", 4, {}],
      ["sent", 6, { back: 6 }],
    ]);
    // A kind keeps twenty others: the sums stay right.
    const others = Array.from({ length: 40 }, (_, index) => `other-${index}`);
    const parts = Object.fromEntries(others.map((id) => [id, 1]));
    const seen = Object.fromEntries(others.map((id) => [id, { seen: 1, arrived: { 8: 1 } }]));
    await runPass(passes, "p3", { to: epoch + 60_000 }, {}, "done", {
      ...seen,
      back: { failedAgain: 40, failedAgainOf: parts },
    });
    const all = await failuresById();
    expect(sum(all.map(({ failedAgain }) => failedAgain))).toBe(50);
    expect(all.filter(({ failedAgain, id }) => id.startsWith("other-") && failedAgain === 1)).toHaveLength(
      18,
    );
  });

  test("a kind comes again: only if it had been empty and still for a quarter of an hour, counted or shown", async () => {
    let count = 1;
    const passWith = async (found: FailureCounts) => {
      const to = epoch + 30_000 * count;
      const { pass } = await open(passes, `p${count}`, { to, fullEveryMs: 1e9 });
      count += 1;
      await passes.progress(drain, pass.passId, "w1", [], nothing, found);
      const { waiting, reopenedAt } = await kindOf();
      await endWindow(passes, pass, "w1", nothing, found);
      expect(await kindOf()).toMatchObject({ waiting, reopenedAt });
    };
    const minuteMs = 60_000;
    await passWith(arrival(startOfTime));
    expect(await kindOf()).toMatchObject({ waiting: 1, reopenedAt: startOfTime, lastMovedAt: startOfTime });
    // While it waits, none is the first again.
    await stand.advance(60 * minuteMs);
    await passWith(arrival(startOfTime + 60 * minuteMs));
    expect(await kindOf()).toMatchObject({ waiting: 2, reopenedAt: startOfTime });
    await stand.advance(60 * minuteMs);
    await passes.countActs(drain, "acts", { a: { published: 2 } }, retentionMs);
    const emptyAt = startOfTime + 120 * minuteMs;
    expect(await kindOf()).toMatchObject({ waiting: 0, lastMovedAt: emptyAt, reopenedAt: startOfTime });
    // A come-back, a minute later.
    await stand.advance(minuteMs);
    await passWith(arrival(emptyAt + minuteMs));
    expect(await kindOf()).toMatchObject({ waiting: 1, reopenedAt: startOfTime });
    await passes.countActs(drain, "more", { a: { dropped: 1 } }, retentionMs);
    await stand.advance(17 * minuteMs);
    const againAt = emptyAt + 17 * minuteMs;
    await passWith(arrival(againAt));
    expect(await kindOf()).toMatchObject({ waiting: 1, reopenedAt: againAt });
  });

  test("a window that is begun again counts its records once, and all that its first worker did", async () => {
    const { pass } = await open(passes, "p1");
    const before = {
      a: { seen: 300, arrived: { 7: 300 }, published: 100, arrivedDone: { 7: 100 }, parked: 10 },
    };
    const did = { ...nothing, listed: 300, republished: 100, deleted: 100, held: 190, parked: 10 };
    await passes.progress(drain, pass.passId, "w1", [], did, before);
    await passes.takeWindow(drain, pass.passId, "w1");
    // What is left is not listed again yet.
    const [kind] = (await facts())!.failures;
    expect(kind).toMatchObject({ waiting: 0, parked: 0, published: 100 });
    expect((await facts())!.gone).toEqual({ a: 100 });
    const rest = {
      a: { seen: 200, parkedBefore: 10, arrived: { 7: 200 }, published: 50, arrivedDone: { 7: 50 } },
    };
    const closed = await endWindow(
      passes,
      pass,
      "w1",
      { ...nothing, listed: 200, republished: 50, deleted: 50, held: 140, parked: 10 },
      rest,
    );
    expect(closed).toMatchObject({ tally: { listed: 300, republished: 150, deleted: 150, held: 140 } });
    expect(await facts()).toMatchObject({
      held: 140,
      parked: 10,
      failures: [{ arrived: 300, published: 150 }],
    });
  });

  test("what came back to a drain that plans is counted once, also if its window is begun again", async () => {
    const { pass } = await open(passes, "p1");
    const before = { a: { seen: 30, arrived: { 7: 30 }, cameBack: 5 } };
    await passes.progress(drain, pass.passId, "w1", [], { ...nothing, listed: 30, held: 30 }, before);
    expect(await facts()).toMatchObject({ failures: [{ failedAgain: 5 }] });
    await passes.takeWindow(drain, pass.passId, "w1");
    const again = { a: { seen: 40, arrived: { 7: 40 }, cameBack: 7 } };
    await endWindow(passes, pass, "w1", { ...nothing, listed: 40, held: 40 }, again);
    expect(await facts()).toMatchObject({ failures: [{ arrived: 40, failedAgain: 7 }] });
  });

  test("the parts of a split window count what it left", async () => {
    const { pass } = await open(passes, "p1");
    const split = [{ windowId: "w1a", from: 0, to: 10, depth: 1 }];
    const whole = {
      a: { seen: 100, arrived: { 7: 100 }, published: 30, arrivedDone: { 7: 30 }, parked: 20 },
    };
    const end = { kind: "done", split } as const;
    await passes.endWindow(drain, pass.passId, "w1", end, { ...nothing, listed: 30, republished: 30 }, whole);
    expect(await facts()).toMatchObject({ held: 0, failures: [{ published: 30, arrived: 30 }] });
    await endWindow(passes, pass, "w1a", nothing, { a: { seen: 70, parkedBefore: 20, arrived: { 7: 70 } } });
    expect(await facts()).toMatchObject({ held: 50, parked: 20, failures: [{ arrived: 100 }] });
  });

  test("a full pass counts anew; one over what is new adds and takes away", async () => {
    await runPass(passes, "p1", {}, { held: 10, parked: 3 });
    const { pass } = await open(passes, "p2", { to: epoch + 60_000 });
    expect(pass).toMatchObject({ kind: "new", countedTo: epoch });
    const arrived = { seen: 7, arrived: { 7: 5 }, published: 4, arrivedDone: { 7: 1 } };
    await endWindow(passes, pass, "w1", { ...nothing, republished: 4 }, { one: arrived });
    expect(await facts()).toMatchObject({ held: 11, parked: 3, exact: false });
    // Two expired, and one was deleted by somebody else.
    const full = {
      one: { seen: 9, parkedBefore: 1, arrived: { 7: 1 } },
      two: { seen: 1, arrived: { 7: 1 } },
    };
    await runPass(
      passes,
      "p3",
      { mayBeNew: false, to: epoch + 90_000 },
      { held: 9, parked: 1 },
      "done",
      full,
    );
    expect(await facts()).toMatchObject({ held: 9, parked: 1, exact: true });
  });

  test("a full pass counts anew although lanes added a window to it, as far as that window did nothing", async () => {
    const first = { ...held("expired", 10)["expired"], arrived: { 7: 10 } };
    await runPass(passes, "p1", {}, {}, "done", { expired: first, probed: first });
    await passes.forceFull(drain);
    const { pass } = await open(passes, "p2", { to: epoch + 60_000 });
    await passes.listAgain(drain, [epoch - 600_000]);
    // Seen and held by the pass, and published by the window that was added.
    await endWindow(passes, pass, "r1", nothing, {
      probed: { seen: 2, published: 2, ruled: { "hold otherwise": 2 } },
    });
    await endWindow(passes, pass, "w1", nothing, { ...held("expired", 6), ...held("probed", 10) });
    expect(await failuresById()).toMatchObject([
      { id: "expired", waiting: 6, ruled: { "hold otherwise": 6 } },
      { id: "probed", waiting: 8, published: 2, ruled: { "hold otherwise": 10 } },
    ]);
  });

  test("what others did during a full pass is taken away once, whether the pass listed it before or never", async () => {
    const first = {
      before: { seen: 10, arrived: { 7: 10 }, parked: 4 },
      never: { seen: 10, arrived: { 7: 10 }, parked: 4 },
    };
    await runPass(passes, "p1", {}, {}, "done", first);
    await passes.forceFull(drain);
    const { pass } = await open(passes, "p2", { to: epoch + 60_000 });
    const act = { seen: 3, published: 3, parked: -1 };
    await passes.countActs(drain, "apply", { before: act, never: act }, retentionMs);
    await endWindow(passes, pass, "w1", nothing, {
      before: { seen: 10, parkedBefore: 4 },
      never: { seen: 7, parkedBefore: 3 },
    });
    expect(await failuresById()).toMatchObject([
      { id: "before", waiting: 4, parked: 3 },
      { id: "never", waiting: 4, parked: 3 },
    ]);
  });

  test("a pass that fails has counted what it did and what arrived; the next one counts the rest of these as waiting", async () => {
    await runPass(passes, "p1", {}, { held: 10 });
    const found = { a: { seen: 8, arrived: { 7: 8 }, published: 3, arrivedDone: { 7: 3 } } };
    await runPass(passes, "p2", { to: epoch + 60_000 }, { held: 5 }, "failed", found);
    expect(await facts()).toMatchObject({
      held: 10,
      exact: false,
      arrivals: 8,
      arrivedAgain: 0,
      failures: [{ id: "one" }, { arrived: 8, waiting: 0 }],
    });
    await runPass(passes, "p3", { to: epoch + 60_000 }, { held: 5 }, "done", {
      a: { seen: 5, arrived: { 7: 5 } },
    });
    expect(await facts()).toMatchObject({
      held: 15,
      arrivals: 8,
      arrivedAgain: 0,
      failures: [{ id: "one" }, { arrived: 8 }],
    });
  });

  test("arrivals are those after the first count, as of the last pages", async () => {
    await runPass(passes, "p1", {}, { held: 10 });
    expect(await facts()).toMatchObject({ arrivals: 0, failures: [{ arrived: 10 }] });
    const { pass } = await open(passes, "p2", { to: epoch + 60_000 });
    const found = { one: { seen: 4, arrived: { 7: 4 } } };
    await passes.progress(drain, pass.passId, "w1", [], { ...nothing, listed: 4, held: 4 }, found);
    const both = { arrivals: 4, failures: [{ arrived: 14 }] };
    expect(await facts()).toMatchObject(both);
    await endWindow(passes, pass, "w1", { ...nothing, listed: 4, held: 4 }, found);
    expect(await facts()).toMatchObject(both);
  });

  test("arrivals never fall and none counts twice, whatever is listed again", async () => {
    await runPass(passes, "p1", {}, { held: 10 });
    const seen: number[][] = [];
    const note = async (): Promise<void> => {
      const { arrivals, failures } = (await facts())!;
      seen.push([arrivals, failures[0]!.arrived]);
    };
    const first = await open(passes, "p2", { to: epoch + 60_000 });
    await passes.progress(drain, first.pass.passId, "w1", [], nothing, twoDone(6));
    await note();
    await passes.takeWindow(drain, first.pass.passId, "w1");
    await note();
    await passes.progress(drain, first.pass.passId, "w1", [], nothing, twoDone(4));
    await note();
    const split = [{ windowId: "w1.0", from: 0, to: 10, depth: 1 }];
    await passes.endWindow(drain, first.pass.passId, "w1", { kind: "done", split }, nothing, twoDone(4));
    await note();
    const rest = { one: { seen: 2, arrived: { 7: 2 } } };
    await passes.progress(drain, first.pass.passId, "w1.0", [], nothing, rest);
    await note();
    await passes.endWindow(drain, first.pass.passId, "w1.0", { kind: "failed" }, nothing, rest);
    await note();

    // The next pass lists the two again that were left, and three more.
    const second = await open(passes, "p3", { to: epoch + 60_000 });
    await passes.progress(drain, second.pass.passId, "w1", [], nothing, { one: { arrived: { 7: 5 } } });
    await note();
    await stand.advance(300_001);
    // It was abandoned, and one of them was deleted by somebody before the next pass.
    const third = await open(passes, "p4", { to: epoch + 60_000 });
    await note();
    await endWindow(passes, third.pass, "w1", nothing, { one: { seen: 4, arrived: { 7: 4 } } });
    await note();
    await runPass(passes, "p5", { to: epoch + 90_000 }, {}, "done", { one: { arrived: { 7: 1 } } });
    await note();
    expect(seen).toEqual([
      ...Array.from({ length: 6 }, () => [6, 16]),
      ...Array.from({ length: 3 }, () => [9, 19]),
      [10, 20],
    ]);
  });

  test("a pass that listed behind its deletes ends no backlog: a full pass without such pages does", async () => {
    const drained = { ...nothing, listed: 50, republished: 50, deleted: 50 };
    await runPass(passes, "p1", {}, { ...drained, pagesBehindDeletes: 1 });
    const unsure = { held: 0, exact: false, mayHaveSkipped: true, backlog: { published: 50 } };
    expect(await facts()).toMatchObject(unsure);
    // It finds fifty that were skipped, and may skip others again.
    const second = await open(passes, "p2", { to: epoch + 60_000 });
    expect(second.pass.kind).toBe("full");
    await endWindow(passes, second.pass, "w1", { ...drained, pagesBehindDeletes: 1 });
    expect(await facts()).toMatchObject({ ...unsure, backlog: { published: 100 } });
    expect((await runPass(passes, "p3", { to: epoch + 90_000 })).pass.kind).toBe("full");
    expect(await facts()).toMatchObject({ exact: true, mayHaveSkipped: false, backlog: null });
    expect((await open(passes, "p4", { to: epoch + 99_000 })).pass.kind).toBe("new");
  });

  test("a drain with much that is left is listed in full no sooner because it may have skipped some", async () => {
    await runPass(passes, "p1", {}, { parked: 1_001, pagesBehindDeletes: 1 });
    expect((await open(passes, "p2", { to: epoch + 60_000 })).pass.kind).toBe("new");
  });

  test("an abandoned pass tells what it had done, and that stays counted", async () => {
    const { pass } = await open(passes, "p1");
    const split = [{ windowId: "w1a", from: 0, to: 10, depth: 1 }];
    const first = { ...nothing, listed: 20, republished: 20, deleted: 20 };
    const acts = { a: { seen: 20, arrived: { 7: 20 }, published: 20, arrivedDone: { 7: 20 } } };
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split }, first, acts);
    await passes.progress(drain, pass.passId, "w1a", [], { ...first, listed: 50, held: 30 }, acts);
    await stand.advance(300_001);
    const { abandoned } = await open(passes, "p2");
    expect(abandoned).toMatchObject({
      pass: { passId: "p1" },
      tally: { listed: 40, republished: 40, deleted: 40, held: 0 },
      durationMs: 300_001,
    });
    expect(await facts()).toMatchObject({ held: 0, failures: [{ published: 40, arrived: 40 }] });
  });

  test("reasons of what is held add up to its count: those that the last pass met, then the known ones", async () => {
    const first = {
      due: { "rate-limit": 2 },
      held: { "too-young": 3, rule: 4 },
      parked: { refused: 1, rule: 3 },
    };
    const counts = { due: 2, held: 7, parked: 4, reasons: first };
    const one = { ...toFailures(counts)["one"], ruled: { "hold young": 4 } };
    await runPass(passes, "p1", {}, counts, "done", { one });
    expect(await sums()).toEqual(first);
    const met = { due: { paused: 2 }, held: { guard: 1, rule: 1 }, parked: {} };
    await runPass(passes, "p2", {}, { due: 2, reasons: met }, "done", { one: { published: 2 } });
    expect(await sums()).toEqual({
      due: { paused: 2 },
      held: { guard: 1, rule: 4 },
      parked: first.parked,
    });
    await runPass(passes, "p3", {}, { reasons: noReasons }, "done", { one: { published: 20 } });
    expect((await sums()).held).toEqual({});
  });

  test("what rules hold stands while passes list and publish others, and grows with what arrives", async () => {
    const counted = { due: {}, held: { otherwise: 896, "lane-halted": 5_000 }, parked: {} };
    const ofRules = { "hold otherwise": 896, "republish outage": 5_000 };
    const first = { one: { seen: 5_896, arrived: { 7: 5_896 }, ruled: ofRules } };
    await runPass(passes, "p1", {}, { held: 5_896, reasons: counted }, "done", first);
    expect(await ruled()).toBe(896);
    const { pass } = await open(passes, "p2", { to: epoch + 60_000 });
    const more = { arrived: { 8: 10 }, ruled: { "hold otherwise": 4 } };
    const published = { one: { seen: 5_400, published: 5_000, ...more } };
    const met = { due: { "rate-limit": 900 }, held: { otherwise: 4 }, parked: {}, anew: { otherwise: 4 } };
    const soFar = { ...nothing, republished: 5_000, due: 900, held: 4, inDoubt: 100, reasons: met };
    await passes.progress(drain, pass.passId, "w1", [], soFar, published);
    expect(await ruled()).toBe(900);
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split: [] }, soFar, published);
    expect(await ruled()).toBe(900);
    // Not even of those that are left can more be held than there are.
    await passes.countActs(drain, "c1", { one: { published: 300 } }, retentionMs);
    expect(await ruled()).toBe(606);
  });

  test("an open pass tells what it has found so far: its windows that have ended, and those that are worked now", async () => {
    const { pass } = await open(passes, "p1");
    const none = { listed: 0, republished: 0, due: 0, held: 0, parked: 0 };
    expect(await openPass()).toMatchObject({ passId: "p1", kind: "full", windowsLeft: 1, soFar: none });
    const split = ["w1a", "w1b"].map((windowId, part) => ({
      windowId,
      from: 10 * part,
      to: 10 * part + 9,
      depth: 1,
    }));
    await passes.endWindow(drain, pass.passId, "w1", { kind: "done", split }, nothing, {});
    expect(await openPass()).toMatchObject({ windowsLeft: 2, soFar: none });
    const page = { ...nothing, listed: 100, republished: 60, due: 10, held: 25, parked: 5 };
    expect(await passes.progress(drain, pass.passId, "w1a", [], page, {})).toBe(2);
    // Of all pages of the window.
    for (const listed of [100, 50]) {
      await passes.progress(drain, pass.passId, "w1b", [], { ...nothing, listed, held: 50 }, {});
    }
    expect((await openPass())?.soFar).toMatchObject({
      listed: 150,
      republished: 60,
      due: 10,
      held: 75,
      parked: 5,
    });
    const done = { kind: "done", split: [] } as const;
    await passes.endWindow(drain, pass.passId, "w1a", done, { ...page, listed: 120, held: 45 }, {});
    // Reported by somebody who works a window that has ended, or none.
    await passes.progress(drain, pass.passId, "w1a", [], page, {});
    await passes.progress(drain, pass.passId, "w9", [], page, {});
    const soFar = { listed: 170, republished: 60, due: 10, held: 95, parked: 5 };
    expect(await openPass()).toMatchObject({ windowsLeft: 1, soFar });
    await passes.endWindow(drain, pass.passId, "w1b", done, { ...nothing, listed: 50, held: 50 }, {});
    expect(await openPass()).toBeNull();
    expect(await passes.progress(drain, pass.passId, "w1b", [], page, {})).toBeNull();
  });

  test("the end that closed a pass is answered again, until the next one has closed", async () => {
    const { pass } = await open(passes, "p1");
    const end = { kind: "done", split: [] } as const;
    const closed = await passes.endWindow(drain, pass.passId, "w1", end, { ...nothing, listed: 1 }, {});
    expect(closed).toMatchObject({ kind: "pass-closed" });
    expect(await passes.endWindow(drain, pass.passId, "w1", end, nothing, {})).toEqual(closed);
    await runPass(passes, "p2");
    expect(await passes.endWindow(drain, pass.passId, "w1", end, nothing, {})).toEqual({ kind: "stale" });
  });
});
