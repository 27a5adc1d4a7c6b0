import { describe, expect, it } from "vitest";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import { postHorizonMs } from "../../src/job/contracts/ledger-limits.ts";
import { ledgerLimits, mostInLaneMs, times } from "./document.ts";
import { createQuiet, slackMs, stallLimitMs, stallMsOf, pauseOf, weighWait } from "./waits.ts";

describe("a wait", () => {
  it("may be as long as the takeover, a sweep and the slack", () => {
    expect(stallLimitMs).toBe(times.takeoverAfter + times.sweepEvery + slackMs);
    expect(stallMsOf(1_000, 1_000 + stallLimitMs, 0)).toBe(stallLimitMs);
  });

  it("that began before an excuse ended may last a sweep and the slack after it, or its own time where that is longer", () => {
    const excusedUntil = 100_000;
    const lastMoment = excusedUntil + times.sweepEvery + slackMs;
    expect(stallMsOf(1_000, lastMoment, excusedUntil)).toBe(stallLimitMs);
    expect(stallMsOf(1_000, lastMoment + 1, excusedUntil)).toBe(stallLimitMs + 1);
    expect(stallMsOf(99_000, 99_000 + stallLimitMs, excusedUntil)).toBe(stallLimitMs);
    expect(stallMsOf(1_000, 50_000, excusedUntil)).toBe(0);
  });
});

describe("times of quiet", () => {
  it("begin when nothing is broken any more, and end when something is broken", () => {
    const quiet = createQuiet();
    const look = (at: number, isBroken: boolean): void => quiet.look(at, { isBroken, excuses: [] });
    look(0, true);
    expect(quiet.since).toBe(null);
    for (const at of [1_000, 2_000, 3_000]) look(at, false);
    expect(quiet.since).toBe(1_000);
    look(4_000, true);
    for (const at of [7_000, 8_000]) look(at, false);
    expect([quiet.since, quiet.totalMs, quiet.within(2_500, 7_500)]).toEqual([7_000, 3_000, 1_000]);
  });

  it("count what was excused in them by its name, and nothing of what was broken", () => {
    const quiet = createQuiet();
    const halted = { why: "halted", until: 5_000 };
    quiet.look(0, { isBroken: true, excuses: [{ why: "storm", until: 900 }] });
    quiet.look(1_000, { isBroken: false, excuses: [halted] });
    for (const at of [2_500, 4_500]) quiet.look(at, { isBroken: false, excuses: [halted] });
    quiet.look(6_000, { isBroken: false, excuses: [halted, { why: "lost", until: 20_000 }] });
    expect([...quiet.excusedMs]).toEqual([
      ["halted", 4_000],
      ["lost", 1_500],
    ]);
    expect(quiet.excusedUntil).toBe(20_000);
  });

  it("are excused for as long as the machine let nobody look", () => {
    const quiet = createQuiet();
    for (const at of [1_000, 3_000, 5_001, 5_251]) quiet.look(at, { isBroken: false, excuses: [] });
    expect([...quiet.excusedMs]).toEqual([["the machine held up Redis or the soak itself", 2_001]]);
    expect(quiet.excusedUntil).toBe(5_001);
  });
});

function open(series: { posts?: number; refusals?: number; firstAt?: number }, lastAt = 0): LedgerView {
  const { posts = 1, refusals = 0, firstAt = 0 } = series;
  return { state: "open", series: { suffix: 1, firstAt, posts, refusals }, lastAt } as LedgerView;
}

const absent: LedgerView = { state: "absent" };
const late = { from: 0, at: stallLimitMs + 1 };

describe("what waits too long", () => {
  it("has stalled where it is begun, counted from its begin", () => {
    const published = { state: "published", at: 10_000 } as LedgerView;
    const weighed = weighWait(published, { from: 0, at: 10_001 + stallLimitMs }, 0, 1_000);
    expect(weighed).toEqual({ isBegun: true, stallMs: stallLimitMs + 1, excuse: null });
    expect(weighWait(published, late, 0, 1_000).stallMs).toBe(late.at - 10_000);
    expect(weighWait(open({}), late, 0, 1_000).stallMs).toBeGreaterThan(stallLimitMs);
  });

  it("may be begun anew by a worker that withheld its batch, and waits for that one", () => {
    const lastAt = times.takeoverAfter;
    const lastMoment = lastAt + stallLimitMs;
    expect(weighWait(open({}, lastAt), { from: 0, at: lastMoment }, 0, 0)).toEqual({
      isBegun: true,
      stallMs: stallLimitMs,
      excuse: "begun again",
    });
    expect(weighWait(open({}, lastAt), { from: 0, at: lastMoment + 1 }, 0, 0).stallMs).toBe(stallLimitMs + 1);
  });

  it("waits for the end of its window where an answer was lost and another try refused", () => {
    const horizonMs = postHorizonMs(ledgerLimits);
    const lastMoment = { from: 0, at: horizonMs + times.sweepEvery + slackMs };
    const doubted = open({ posts: 2, refusals: 1 });
    expect(weighWait(doubted, lastMoment, 0, 0).excuse).toBe("in doubt after a refusal");
    expect(weighWait(doubted, lastMoment, 0, 0).stallMs).toBe(stallLimitMs);
    expect(weighWait(open({ posts: 2, refusals: 2 }), lastMoment, 0, 0).excuse).not.toBe(
      "in doubt after a refusal",
    );
    expect(weighWait(open({ posts: 2 }), lastMoment, 0, 0).excuse).not.toBe("in doubt after a refusal");
  });

  it("has stalled no time that it will be excused for", () => {
    const doubted = open({ posts: 2, refusals: 1 });
    const until = postHorizonMs(ledgerLimits) - times.takeoverAfter;
    for (const at of [0, times.takeoverAfter + 1, until]) {
      expect(weighWait(doubted, { from: 0, at }, 0, 0).stallMs).toBe(0);
    }
    expect(weighWait(doubted, { from: 0, at: until + 1 }, 0, 0).stallMs).toBe(1);
  });

  it("waits besides for the worker that asked for it last before its window ended", () => {
    const lastAt = postHorizonMs(ledgerLimits) - 1;
    const lastMoment = lastAt + stallLimitMs;
    const doubted = open({ posts: 5, refusals: 4 }, lastAt);
    expect(weighWait(doubted, { from: 0, at: lastMoment }, 0, 0).stallMs).toBe(stallLimitMs);
    expect(weighWait(doubted, { from: 0, at: lastMoment + 1 }, 0, 0).stallMs).toBe(stallLimitMs + 1);
  });

  it("waits for its turn where it is not begun, for as long as so many others take", () => {
    expect(weighWait(absent, late, 0, 0)).toEqual({
      isBegun: false,
      stallMs: stallLimitMs + 1,
      excuse: "behind others",
    });
    expect(weighWait(absent, late, 0, 20).stallMs).toBe(stallLimitMs - 999);
  });

  it("waits for its lane where its drain has one and it is not begun, and no longer than its steps may take", () => {
    const lastMoment = { from: 0, at: stallLimitMs + mostInLaneMs, isTried: true };
    expect(weighWait(absent, lastMoment, 0, 0)).toEqual({
      isBegun: false,
      stallMs: stallLimitMs,
      excuse: "in a lane",
    });
    expect(weighWait(absent, { ...lastMoment, at: lastMoment.at + 1 }, 0, 0).stallMs).toBe(stallLimitMs + 1);
    expect(weighWait(open({}), lastMoment, 0, 0).stallMs).toBe(lastMoment.at);
    expect(mostInLaneMs).toBe(54_000);
  });

  it("needs no excuse of its own where one for all is enough", () => {
    expect(weighWait(absent, late, late.at, 0)).toEqual({
      isBegun: false,
      stallMs: times.takeoverAfter,
      excuse: null,
    });
  });

  it("is let alone where it waits for a person, or for minutes", () => {
    expect(pauseOf({ state: "parked" } as LedgerView, 0)).toBe("parked");
    expect(pauseOf({ state: "cool", dueAt: 600_000 } as LedgerView, 0)).toBe(
      "refused, tried again in minutes",
    );
    expect(pauseOf({ state: "cool", dueAt: 5_000 } as LedgerView, 0)).toBe(null);
    expect(pauseOf(absent, 0)).toBe(null);
  });
});
