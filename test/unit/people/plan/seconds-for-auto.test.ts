import { describe, expect, it } from "vitest";
import { builtInAuto } from "../../../../src/job/contracts/auto-rate.ts";
import { secondsForAuto } from "../../../../src/people/plan/seconds-for-auto.ts";

describe("the time that a learned rate needs", () => {
  it.each([
    ["nothing", 0, 0],
    ["what goes in the first watch", 300, 30],
    ["a whole watch", 600, 60],
    ["two rates", 1_200, 90],
    // 600, 1,200, 2,400 and 4,800 in the first four minutes, and 100/s from then on.
    ["all of the ramp", 9_000, 240],
    ["50,000", 50_000, 240 + 410],
    ["200,000", 200_000, 240 + 1_910],
  ])("is counted for %s", (_name, count, seconds) => {
    expect(secondsForAuto(count, builtInAuto)).toBeCloseTo(seconds, 6);
  });

  it("begins at the rate that a host has by now", () => {
    expect(secondsForAuto(10_000, builtInAuto, 100)).toBe(100);
    expect(secondsForAuto(600, builtInAuto, 5)).toBe(60 + 30);
    expect(secondsForAuto(600, builtInAuto, 100)).toBe(6);
  });

  it("is that of a fixed rate where the bounds are the same", () => {
    expect(secondsForAuto(500, { fromPerSecond: 5, toPerSecond: 5, watchMs: 60_000 })).toBe(100);
  });
});
