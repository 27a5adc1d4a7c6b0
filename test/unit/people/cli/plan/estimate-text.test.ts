import { describe, expect, it } from "vitest";
import { toEstimateText } from "../../../../../src/people/cli/plan/estimate-text.ts";
import type { DestinationEstimate, Estimate } from "../../../../../src/people/plan/estimate.ts";

const minute = 60_000;
const rate = { count: 10, perMs: 1_000 };
const room = { closedGuards: [], perDay: null, perPass: null };

const row = (host: string, publishes: number, fields: Partial<DestinationEstimate> = {}) => ({
  origin: `https://${host}`,
  publishes,
  later: 0,
  rate,
  isRateLearned: false,
  lane: { state: "open" as const, nextInMs: 0 },
  durationMs: publishes * 100,
  isCounted: true,
  ...fields,
});
const noMore = { destinations: 0, publishes: 0, later: 0, durationMs: 0, notCounted: 0 };

const outage: Estimate = {
  publishes: 14_430,
  billed: { best: 14_430, worst: 57_720 },
  calls: { list: 145, publish: 145, remove: 145 },
  durationMs: 4 * minute,
  nowMs: 4 * minute,
  later: null,
  atLeast: true,
  notCounted: {
    destinations: 1,
    publishes: 12_000,
    origin: "https://pay.example.com",
    nextInMs: 4 * minute,
    isProbeOut: false,
  },
  boundBy: { kind: "host", rate, host: "api.example.com", publishes: 2_400, ms: 4 * minute },
  destinations: {
    top: [
      row("pay.example.com", 12_000, {
        lane: { state: "halted", nextInMs: 4 * minute },
        isCounted: false,
        durationMs: 26 * minute,
      }),
      row("api.example.com", 2_400),
      row("a-service-of-somebody.eu-west-1.partners.example.com:8443", 30),
    ],
    more: noMore,
  },
  passes: 1,
  days: 1,
};

const text = (fields: Partial<Estimate>, columns = 80): string =>
  toEstimateText(columns, { ...outage, ...fields }, room, Date.UTC(2026, 10, 20, 14, 2));
const takes = (fields: Partial<Estimate>): string => /takes +(.*)/.exec(text(fields, Infinity))?.[1] ?? "";

describe("the time of a plan", () => {
  it("is one line for the whole with what a halted destination keeps, and a table of destinations", () => {
    expect(text({})).toMatchInlineSnapshot(`
      "
        time and cost
          takes     done in about 4m (14:06 UTC): 2400 for api.example.com at 10/s
                    take 4m; pay.example.com is halted, next probe in 4m, 12000 wait
                    for it and are not counted
          calls     145 list, 145 publish, 145 delete
          bills     14430 to 57720 attempts for 14430 publishes

          destination                      now  rate  lane                 time
          pay.example.com                12000  10/s  halted, not counted  26m or more
          api.example.com                 2400  10/s  open                 4m
          a-service-of-s…ample.com:8443     30  10/s  open                 3s
      "
    `);
  });

  it("tells when what is held becomes due, and how much work follows", () => {
    const later = { publishes: 18_000, fromMs: 30_000, toMs: 45_000, workMs: 30 * minute };
    const fields: Partial<Estimate> = {
      durationMs: 30 * minute + 45_000,
      later,
      notCounted: null,
      destinations: {
        top: [row("api.example.com", 2_400, { later: 18_000, durationMs: 30 * minute + 45_000 })],
        more: { ...noMore, destinations: 5, publishes: 40, durationMs: 9_000, notCounted: 2 },
      },
      boundBy: { kind: "host", rate, host: "api.example.com", publishes: 20_400, ms: 34 * minute },
    };
    expect(text(fields)).toMatchInlineSnapshot(`
      "
        time and cost
          takes     done in about 30m45s (14:32 UTC), 4m for what is due now: 20400
                    for api.example.com at 10/s take 34m
          held      18000 become due in 30s to 45s; then about 30m of work
          calls     145 list, 145 publish, 145 delete
          bills     14430 to 57720 attempts for 14430 publishes

          destination       now  later  rate  lane      time
          api.example.com  2400  18000  10/s  open      30m45s
          5 more             40      0        2 halted  9s
      "
    `);
    expect(takes({ ...fields, publishes: 0 })).toMatch(/^done in about 30m45s \(14:32 UTC\): 20400 for/);
    expect(text({ later: { ...later, publishes: 1, fromMs: 45_000, workMs: 100 } }, Infinity)).toContain(
      "1 becomes due in 45s; then about 1s of work",
    );
  });

  it.each<[string, Partial<Estimate>, string]>([
    [
      "calls",
      { boundBy: { kind: "calls" }, notCounted: null },
      "done in about 4m (14:06 UTC): one call after the other",
    ],
    [
      "the rate of all",
      { boundBy: { kind: "publish", rate, publishes: 2_400, ms: 4 * minute }, notCounted: null },
      "done in about 4m (14:06 UTC): 2400 at 10/s (publish) take 4m",
    ],
    [
      "a rule",
      { boundBy: { kind: "rule", rule: "slow", rate, publishes: 2_400, ms: 4 * minute }, notCounted: null },
      "done in about 4m (14:06 UTC): 2400 of rule slow at 10/s take 4m",
    ],
    [
      "a day",
      { boundBy: { kind: "day", limit: 50 }, days: 3, notCounted: null },
      "done in about 4m (14:06 UTC): perDay 50 spreads it over 3 days",
    ],
    [
      "steps",
      { boundBy: { kind: "lane", origin: "https://a.example.com", ms: 2 * minute }, notCounted: null },
      "done in about 4m (14:06 UTC): the steps of lane a.example.com take 2m",
    ],
    [
      "a wait",
      { boundBy: { kind: "due", inMs: 4 * minute }, notCounted: null },
      "done in about 4m (14:06 UTC): the last becomes due in 4m",
    ],
    [
      "halted lanes alone",
      { billed: { best: 12_000, worst: 12_000 } },
      "none can go now; pay.example.com is halted, next probe in 4m, 12000 wait for it and are not counted",
    ],
    [
      "several halted lanes",
      {
        boundBy: { kind: "calls" },
        notCounted: { ...outage.notCounted!, destinations: 3, isProbeOut: true, nextInMs: 40_000 },
      },
      "done in about 4m (14:06 UTC): one call after the other; pay.example.com and 2 more are halted, a probe is out, result in 40s, 12000 wait for them and are not counted",
    ],
  ])("names %s", (_name, fields, expected) => {
    expect(takes(fields)).toBe(expected);
  });

  it("is left out if nothing is published", () => {
    expect(text({ billed: { best: 0, worst: 0 } })).toBe("");
  });

  it("fits 80 columns", () => {
    expect(
      text({})
        .split("\n")
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });
});
