import { describe, expect, it } from "vitest";
import { estimate, type EstimateInput } from "../../../../src/redrive/plan/estimate.ts";
import type { LaneWait } from "../../../../src/redrive/plan/lane-waits.ts";
import { laneOf } from "../../../support/lane-wait.ts";

/** A day's ceiling, two hours before the day's end. */
function day(limit: number, used: number): Partial<EstimateInput> {
  return { room: { perDay: { limit, used, left: Math.max(0, limit - used), endsInMs: 7_200_000 } } };
}

const waitsFor = (...lanes: readonly Partial<LaneWait>[]): Partial<EstimateInput> => ({
  lanes: { watchMs: 60_000, lanes: lanes.map(laneOf), more: { lanes: 0, due: 0 } },
});

describe("an estimate", () => {
  const input: EstimateInput = {
    limits: {},
    listed: 1_000,
    publishes: 500,
    firstPublishes: 500,
    room: { perDay: null },
    lanes: null,
    worstBilled: 2_000,
    deletes: 500,
    itemsPerPublish: 100,
    busiestHost: { host: "a.example.com", count: 400 },
    rules: [],
  };

  it.each<[string, Partial<EstimateInput>, object]>([
    [
      "calls alone",
      {},
      { durationMs: 3_000, boundBy: { kind: "calls" }, calls: { list: 10, publish: 5, remove: 5 } },
    ],
    [
      "the drain's rate",
      { limits: { publish: { count: 20, perMs: 1_000 } } },
      { durationMs: 25_000, boundBy: { kind: "publish" } },
    ],
    [
      "the busiest host",
      { limits: { publish: { count: 20, perMs: 1_000 }, perHost: { count: 10, perMs: 1_000 } } },
      { durationMs: 40_000, boundBy: { kind: "host", host: "a.example.com" } },
    ],
    [
      "a rule's own rate",
      { rules: [{ rule: "slow", rate: { count: 1, perMs: 60_000 }, count: 3 }] },
      { durationMs: 180_000, boundBy: { kind: "rule", rule: "slow" } },
    ],
    [
      "a pass's ceiling, which waits for nobody",
      { limits: { perPass: 200 } },
      { passes: 3, days: 1, durationMs: 3_000 },
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
      { ...day(1_000, 600), firstPublishes: 400 },
      { days: 1, durationMs: 3_000 },
    ],
    [
      "a rate that takes longer than waiting for the next day",
      { ...day(1_000, 600), limits: { publish: { count: 1, perMs: 60_000 } } },
      { days: 2, durationMs: 30_000_000, boundBy: { kind: "publish" } },
    ],
    [
      "a lane that goes on later than all that, and what it sends then is not counted",
      waitsFor(
        { state: "canary", nextInMs: 2_000 },
        { origin: "https://b.example.com", state: "halted", nextInMs: 120_000 },
      ),
      { durationMs: 120_000, atLeast: true, boundBy: { kind: "lane", origin: "https://b.example.com" } },
    ],
    [
      "calls, and lasts longer by the steps of a lane that is new",
      waitsFor({ state: "canary" }),
      { durationMs: 3_000, atLeast: true, boundBy: { kind: "calls" } },
    ],
    [
      "no lane that is open, or to which nothing is due",
      waitsFor({ state: "open", nextInMs: 60_000 }, { state: "halted", due: 0, kept: 4, nextInMs: 60_000 }),
      { durationMs: 3_000, atLeast: false, boundBy: { kind: "calls" } },
    ],
    ["nothing to do", { publishes: 0, deletes: 0, listed: 0 }, { durationMs: 150, passes: 1, days: 1 }],
  ])("is bound by %s", (_name, fields, expected) => {
    expect(estimate({ ...input, ...fields })).toMatchObject(expected);
  });
});
