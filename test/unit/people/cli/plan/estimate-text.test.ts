import { describe, expect, it } from "vitest";
import { toEstimateText } from "../../../../../src/people/cli/plan/estimate-text.ts";
import { estimate, type Estimate } from "../../../../../src/people/plan/estimate.ts";
import { input, to } from "../../../../support/estimates.ts";

const limits = { publish: { count: 20, perMs: 1_000 }, perHost: { count: 10, perMs: 1_000 } };
const hosts = Array.from({ length: 9 }, (_, index) => to(`host-${index}.example.com`, 10 + index));
const outage = estimate({
  ...input,
  limits,
  counts: {
    destinations: [
      to("api.example.com", 2_400, 18_000),
      to("a-name-that-goes-on-and-on-and-on.and-on.and-on-and-on-and-on.example.com:8443", 12_000),
      ...hosts,
    ],
    ofRules: new Map(),
    again: 0,
  },
});

const text = (fields: Partial<Estimate> = {}) =>
  toEstimateText(80, { ...outage, ...fields }, { closedGuards: [], perDay: null, perPass: null });

describe("what a plan publishes, on the terminal", () => {
  it("is its limit and its destinations, in 80 columns", () => {
    expect(text()).toMatchInlineSnapshot(`
      "
        publishes
          limit     20,400 for api.example.com at 10/s: at least 34m

          destination                                                       now  later
          api.example.com                                                  2400  18000
          a-name-that-goes-on-and-on-and-…and-on-and-on.example.com:8443  12000      0
          host-8.example.com                                                 18      0
          host-7.example.com                                                 17      0
          host-6.example.com                                                 16      0
          host-5.example.com                                                 15      0
          host-4.example.com                                                 14      0
          host-3.example.com                                                 13      0
          3 more                                                             33      0
      "
    `);
    expect(
      text()
        .split("\n")
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  const aMinute = { count: 1, perMs: 60_000 };
  it.each<[string, Estimate["least"], string]>([
    [
      "the rate of all",
      { kind: "publish", rate: limits.publish, publishes: 2_400, ms: 120_000 },
      "2,400 at 20/s",
    ],
    [
      "a rule",
      { kind: "rule", name: "slow", rate: aMinute, publishes: 3, ms: 120_000 },
      "3 of rule slow at 1/m",
    ],
  ])("names the limit of %s", (_name, least, expected) => {
    expect(text({ least })).toContain(`    limit     ${expected}: at least 2m\n`);
  });

  it("has no line for a limit that takes no minute or is not set, and none at all if nothing is published", () => {
    expect(text({ least: null })).not.toContain("limit");
    expect(text({ least: { ...outage.least!, ms: 59_999 } })).not.toContain("limit");
    expect(text({ publishes: 0, later: 0 })).toBe("");
  });
});
