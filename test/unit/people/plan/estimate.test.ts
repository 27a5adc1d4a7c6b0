import { describe, expect, it } from "vitest";
import { builtInAuto } from "../../../../src/job/contracts/auto-rate.ts";
import { estimate, type EstimateInput } from "../../../../src/people/plan/estimate.ts";
import { input, to } from "../../../support/estimates.ts";

const minute = 60_000;
const perSecond = (count: number) => ({ count, perMs: 1_000 });

/** A day's ceiling, two hours before the day's end. */
function day(limit: number, used: number): Partial<EstimateInput> {
  return { room: { perDay: { limit, used, left: Math.max(0, limit - used), endsInMs: 7_200_000 } } };
}

const counting = (fields: Partial<EstimateInput["counts"]>) => ({ counts: { ...input.counts, ...fields } });
const estimated = (fields: Partial<EstimateInput>) => estimate({ ...input, ...fields });

const ofPublish = { limits: { publish: perSecond(20) } };
const ofHost = { limits: { publish: perSecond(20), perHost: perSecond(10) } };
const learned = { limits: { perHost: builtInAuto } };
const nowhere = counting({ destinations: [] });
const other = { ...to("a.example.com", 200, 100), origin: "http://a.example.com" };
const ofOrigins = {
  limits: { perHost: perSecond(10) },
  ...counting({ destinations: [to("a.example.com", 400), other] }),
};
const ofRule = {
  ruleRates: new Map([["slow", { count: 1, perMs: minute }]]),
  ...counting({ ofRules: new Map([["slow", 3]]) }),
};

describe("an estimate", () => {
  it.each<[string, Partial<EstimateInput>, object]>([
    ["no time without a limit", {}, { publishes: 500, least: null, later: 0 }],
    ["the drain's rate", ofPublish, { least: { kind: "publish", publishes: 500, ms: 25_000 } }],
    ["a busy host", ofHost, { least: { kind: "host", name: "a.example.com", publishes: 400, ms: 40_000 } }],
    ["the highest rate that a host may learn", learned, { least: { rate: perSecond(100), ms: 4_000 } }],
    ["a host that has two origins", ofOrigins, { least: { kind: "host", publishes: 700, ms: 70_000 } }],
    ["a rule's own rate", ofRule, { least: { kind: "rule", name: "slow", publishes: 3, ms: 180_000 } }],
    ["a pass's ceiling", { limits: { perPass: 200 } }, { passes: 3, least: null }],
    ["a day's ceiling with room enough", day(1_000, 500), { days: 1 }],
    ["a day's ceiling of which most is used: today and tomorrow", day(1_000, 600), { days: 2 }],
    ["a day's ceiling that is used up: only tomorrow", day(1_000, 1_000), { days: 1 }],
    ["a day's ceiling that is lower than it was", day(200, 350), { days: 3 }],
    ["a day's ceiling, of what is new", { ...day(1_000, 600), ...counting({ again: 100 }) }, { days: 1 }],
    ["nothing to do", { ...ofPublish, ...nowhere }, { publishes: 0, passes: 1, days: 1, least: { ms: 0 } }],
  ])("has %s", (_name, fields, expected) => {
    expect(estimated(fields)).toMatchObject(expected);
  });

  it("counts what becomes due by time alone with its limit", () => {
    const limits = { perHost: perSecond(10) };
    const destinations = [to("a.example.com", 2_400, 18_000)];
    expect(estimated({ limits, ...counting({ destinations }) })).toMatchObject({
      publishes: 2_400,
      later: 18_000,
      least: { publishes: 20_400, ms: 34 * minute },
    });
  });

  it("shows eight destinations, sums the rest up, and has no host for what is not counted apart", () => {
    const destinations = [
      ...Array.from({ length: 12 }, (_, index) => to(`h${index}.example.com`, 100 * (index + 1))),
      { origin: null, host: "", publishes: 5_000, later: 0 },
    ];
    const limits = { perHost: perSecond(10) };
    const { destinations: shown, least } = estimated({ limits, ...counting({ destinations }) });
    expect(shown.top.map(({ publishes }) => publishes)).toEqual([
      1_200, 1_100, 1_000, 900, 800, 700, 600, 500,
    ]);
    expect(shown.more).toEqual({ destinations: 5, publishes: 6_000, later: 0 });
    expect(least).toMatchObject({ name: "h11.example.com", publishes: 1_200 });
  });
});
