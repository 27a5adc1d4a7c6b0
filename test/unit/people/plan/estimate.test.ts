import { describe, expect, it } from "vitest";
import { createDueTimes } from "../../../../src/people/plan/due-times.ts";
import { estimate, type EstimateInput } from "../../../../src/people/plan/estimate.ts";
import type { LaneStanding } from "../../../../src/people/plan/lane-standings.ts";
import { halted, lane, later, open, perHost, standing, to } from "../../../support/estimates.ts";

const second = 1_000;
const minute = 60_000;

/** A day's ceiling, two hours before the day's end. */
function day(limit: number, used: number): Partial<EstimateInput> {
  return { room: { perDay: { limit, used, left: Math.max(0, limit - used), endsInMs: 7_200_000 } } };
}

const input: EstimateInput = {
  limits: {},
  perHost: null,
  ruleRates: new Map(),
  lane: null,
  destinations: [to("a.example.com", 400), to("b.example.com", 100)],
  room: { perDay: null },
  listed: 1_000,
  worstBilled: 2_000,
  otherDeletes: 0,
  itemsPerPublish: 100,
};

const estimated = (fields: Partial<EstimateInput>) => estimate({ ...input, ...fields });
const rowOf = (fields: Partial<EstimateInput>, host: string) =>
  estimated(fields).destinations.top.find(({ origin }) => origin === `https://${host}`);

describe("an estimate", () => {
  it.each<[string, Partial<EstimateInput>, object]>([
    [
      "calls alone",
      {},
      {
        publishes: 500,
        durationMs: 3_000,
        boundBy: { kind: "calls" },
        calls: { list: 10, publish: 5, remove: 5 },
      },
    ],
    [
      "the drain's rate",
      { limits: { publish: { count: 20, perMs: second } } },
      { durationMs: 25_000, boundBy: { kind: "publish", publishes: 500, ms: 25_000 } },
    ],
    [
      "the busiest host",
      { limits: { publish: { count: 20, perMs: second } }, ...perHost(10) },
      { durationMs: 40_000, boundBy: { kind: "host", host: "a.example.com", publishes: 400 } },
    ],
    [
      "a host that has two origins",
      {
        ...perHost(10),
        destinations: [
          to("a.example.com", 400),
          to("a.example.com", 300, { origin: "http://a.example.com" }),
        ],
      },
      { durationMs: 70_000, boundBy: { kind: "host", publishes: 700 } },
    ],
    [
      "a rule's own rate",
      {
        ruleRates: new Map([["slow", { count: 1, perMs: minute }]]),
        destinations: [
          to("a.example.com", 400, { rules: [{ rule: "slow", arrivals: [{ inMs: 0, count: 3 }] }] }),
        ],
      },
      { durationMs: 180_000, boundBy: { kind: "rule", rule: "slow", publishes: 3 } },
    ],
    [
      "a pass's ceiling, which delays nothing",
      { limits: { perPass: 200 } },
      { passes: 3, durationMs: 3_000 },
    ],
    ["a day's ceiling with room enough", day(1_000, 500), { days: 1, durationMs: 3_000 }],
    [
      "a day's ceiling of which most is used: today and tomorrow",
      day(1_000, 600),
      { days: 2, durationMs: 7_200_600, boundBy: { kind: "day", limit: 1_000 } },
    ],
    ["a day's ceiling that is used up: only tomorrow", day(1_000, 1_000), { days: 1, durationMs: 7_203_000 }],
    ["a day's ceiling that is lower than it was", day(200, 350), { days: 3, durationMs: 180_000_600 }],
    [
      "a day's ceiling that counts only what is new",
      { ...day(1_000, 600), destinations: [to("a.example.com", 500, { again: 100 })] },
      { days: 1, durationMs: 3_000 },
    ],
    [
      "a rate that takes longer than waiting for the next day",
      { ...day(1_000, 600), limits: { publish: { count: 1, perMs: minute } } },
      { days: 2, durationMs: 30_000_000, boundBy: { kind: "publish" } },
    ],
    ["nothing to do", { destinations: [], listed: 0 }, { durationMs: 150, passes: 1, days: 1, publishes: 0 }],
  ])("is bound by %s", (_name, fields, expected) => {
    expect(estimated(fields)).toMatchObject(expected);
  });
});

const laned = (count: number, is: LaneStanding) => ({
  ...perHost(10),
  listed: 1,
  lane,
  destinations: [to("a.example.com", count, { lane: is })],
});
const timeIn = (is: LaneStanding) => rowOf(laned(1_056, is), "a.example.com")?.durationMs;

describe("an estimate of lanes", () => {
  it.each<[string, number, LaneStanding, number]>([
    ["open: at its rate", 2_400, open, 240_000],
    // 5, a minute, 50, a minute, and the other 2,345: the step after 50 is larger than 300.
    ["new: two steps and their watches first", 2_400, standing, 120_000 + 240_000],
    ["new, with no more than its first step", 5, standing, 500],
    ["new, with no more than its second step", 40, standing, 60_000 + 4_000],
    [
      "in a watch: it ends, then ten times as many",
      2_400,
      { ...standing, sent: 5, nextInMs: 20_000 },
      320_000,
    ],
    [
      "ramping, with room in its step",
      2_400,
      { ...standing, state: "ramping", size: 50, sent: 20 },
      60_000 + 240_000,
    ],
    [
      "ramping, and its last step is watched",
      2_400,
      { ...standing, state: "ramping", size: 50, sent: 50, nextInMs: 9_000 },
      249_000,
    ],
  ])("is that of one that is %s", (_name, count, is, durationMs) => {
    expect(estimated(laned(count, is))).toMatchObject({ durationMs, atLeast: false, notCounted: null });
  });

  it("counts a halted lane's backlog for its destination alone, from its next probe", () => {
    const destinations = [
      to("api.example.com", 2_400, { lane: open }),
      to("pay.example.com", 12_000, { lane: halted }),
      to("new.example.com", 30, { lane: open }),
    ];
    const limits = { publish: { count: 20, perMs: second }, perPass: 3_000 };
    const all = estimated({ ...perHost(10), limits, lane, destinations });
    expect(all).toMatchObject({
      durationMs: 240_000,
      boundBy: { kind: "host", host: "api.example.com", publishes: 2_400 },
      atLeast: true,
      passes: 1,
      notCounted: {
        destinations: 1,
        publishes: 12_000,
        origin: "https://pay.example.com",
        nextInMs: 240_000,
        isProbeOut: false,
      },
    });
    // The probe at 4m and its watch, 50 and their watch, and the others at 10/s.
    expect(all.destinations.top).toMatchObject([
      { origin: "https://pay.example.com", isCounted: false, durationMs: 5 * minute + minute + 1_199_900 },
      { origin: "https://api.example.com", isCounted: true, durationMs: 240_000 },
      { origin: "https://new.example.com", isCounted: true, durationMs: 3_000 },
    ]);
  });

  it("takes the long way after a halt that came soon after it opened, and waits for a probe that is out", () => {
    expect(timeIn(halted)).toBe(5 * minute + minute + 105_500);
    expect(timeIn({ ...halted, isShaky: true })).toBe(5 * minute + 2 * minute + 105_500);
    expect(timeIn({ ...halted, sent: 1, nextInMs: 30_000 })).toBe(30_000 + minute + 105_600);
  });

  it("sends what was posted before also to a halted destination", () => {
    const destinations = [to("a.example.com", 1_000, { again: 400, lane: halted })];
    expect(estimated({ ...perHost(10), lane, destinations })).toMatchObject({
      durationMs: 40_000,
      notCounted: { publishes: 600 },
    });
  });

  it("names the steps where they take longest, and keeps rules waiting for them", () => {
    const rules = [{ rule: "slow", arrivals: [{ inMs: 0, count: 120 }] }];
    const destinations = [to("a.example.com", 200, { lane: standing, rules })];
    expect(estimated({ ...perHost(10), lane, destinations })).toMatchObject({
      boundBy: { kind: "lane", origin: "https://a.example.com", ms: 125_500 },
    });
    const ruleRates = new Map([["slow", { count: 1, perMs: second }]]);
    expect(estimated({ ...perHost(10), lane, destinations, ruleRates })).toMatchObject({
      durationMs: 245_500,
      boundBy: { kind: "rule" },
    });
  });
});

describe("an estimate of what becomes due", () => {
  it("counts the wait, and then the publishes at their rate", () => {
    const times = createDueTimes();
    for (let index = 0; index < 18_000; index += 1) times.add(30_000 + (index % 15_001));
    const destinations = [
      to("a.example.com", 0, { arrivals: times.arrivals(), earliestMs: times.earliestMs() }),
    ];
    const { later: due, durationMs, ...rest } = estimated({ ...perHost(10), destinations });
    expect(due).toMatchObject({ publishes: 18_000, fromMs: 30_000, toMs: 45_000 });
    expect(rest).toMatchObject({ publishes: 0, boundBy: { kind: "host" } });
    // 30 minutes of work, which begins with the first of them.
    expect(durationMs).toBeGreaterThan(30 * minute + 30_000);
    expect(durationMs).toBeLessThanOrEqual(30 * minute + 45_000);
    expect(due!.workMs).toBe(durationMs - 45_000);
  });

  it("names apart how long what is due now takes", () => {
    const arrivals = [
      { inMs: 0, count: 2_400 },
      { inMs: 45_000, count: 18_000 },
    ];
    const destinations = [to("a.example.com", 0, { arrivals, earliestMs: 30_000 })];
    expect(estimated({ ...perHost(10), destinations })).toMatchObject({
      publishes: 2_400,
      nowMs: 240_000,
      durationMs: 34 * minute,
      later: { publishes: 18_000, workMs: 34 * minute - 45_000 },
    });
  });

  it("charges nothing for a wait in which all others have gone", () => {
    const destinations = [to("a.example.com", 600), to("b.example.com", 0, later(4 * 3_600_000, 1))];
    expect(estimated({ ...perHost(10), destinations })).toMatchObject({
      nowMs: 60_000,
      durationMs: 4 * 3_600_000 + 100,
      boundBy: { kind: "due", inMs: 4 * 3_600_000 },
      later: { publishes: 1, workMs: 100 },
    });
  });

  it("leaves what becomes due to a halted destination with that destination", () => {
    const destinations = [
      to("a.example.com", 600, { lane: open }),
      to("b.example.com", 0, { ...later(45_000, 9_000), lane: halted }),
    ];
    expect(estimated({ ...perHost(10), lane, destinations })).toMatchObject({
      durationMs: 60_000,
      later: null,
      notCounted: { publishes: 9_000 },
    });
  });

  it("keeps a bounded number of moments, none of them too early", () => {
    const times = createDueTimes();
    for (let inMs = 0; inMs < 7 * 86_400_000; inMs += 30_011) times.add(inMs);
    const arrivals = times.arrivals();
    expect(arrivals.length).toBeLessThanOrEqual(70);
    expect(arrivals.reduce((sum, { count }) => sum + count, 0)).toBe(Math.ceil((7 * 86_400_000) / 30_011));
    expect(arrivals.at(-1)!.inMs).toBeGreaterThan(7 * 86_400_000 - 30_011);
    expect(arrivals[0]).toEqual({ inMs: 0, count: 1 });
  });
});

describe("an estimate of many destinations", () => {
  it("shows eight, sums the rest up, and gives each its turns in the rate of all", () => {
    const destinations = [
      ...Array.from({ length: 12 }, (_, index) => to(`h${index}.example.com`, 100 * (index + 1))),
      to("", 50, { origin: null, host: "" }),
    ];
    const limits = { publish: { count: 20, perMs: second } };
    const { destinations: shown, durationMs } = estimated({ ...perHost(10), limits, destinations });
    expect(durationMs).toBe((7_850 / 20) * second);
    expect(shown.top.map(({ publishes }) => publishes)).toEqual([
      1_200, 1_100, 1_000, 900, 800, 700, 600, 500,
    ]);
    expect(shown.top[0]!.durationMs).toBe(durationMs);
    // When 500 have gone to it, 500 have gone to each that has more, and all to each that has less.
    expect(shown.top[7]!.durationMs).toBe(((8 * 500 + 100 + 200 + 300 + 400 + 50) / 20) * second);
    expect(shown.more).toMatchObject({ destinations: 5, publishes: 1_050 });
  });

  it("takes a pace that changes with time", () => {
    // Twice as fast from a minute on.
    const pace = (count: number, sinceMs: number): number => count * (sinceMs >= minute ? 50 : 100);
    const arrivals = [
      { inMs: 0, count: 600 },
      { inMs: minute, count: 600 },
    ];
    const rate = { count: 10, perMs: second };
    const destinations = [to("a.example.com", 0, { arrivals, earliestMs: minute })];
    expect(estimated({ perHost: { rate, isLearned: false, pace }, destinations })).toMatchObject({
      durationMs: 90_000,
    });
  });
});
