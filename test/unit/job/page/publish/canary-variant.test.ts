import { describe, expect, it } from "vitest";
import { asCanary, canaryTimeoutMs } from "../../../../../src/job/page/publish/canary-variant.ts";
import { itemOf } from "../../../../support/rebuilt.ts";

const timeoutOf = (ruleMs: number | undefined, timeoutMs: number) =>
  asCanary(itemOf({}, ruleMs === undefined ? {} : { timeoutMs: ruleMs }), "Upstash-", timeoutMs, "v1")
    .headers["Upstash-Timeout"];

describe("a canary", () => {
  it.each([
    [undefined, 45_000, "45s"],
    [90_000, 45_000, "45s"],
    [10_000, 45_000, "10s"],
    [1_500, 1_000, "1s"],
    [undefined, 400, "1s"],
    [undefined, 1_999, "1s"],
  ])("waits for the shorter of the rule's timeout (%s) and its own (%s): %s", (rule, own, expected) => {
    expect(timeoutOf(rule, own)).toBe(expected);
  });

  it.each([
    [2_000, 1_000],
    [2_700, 2_000],
    [60_000, 45_000],
    [61_000, 45_000],
    [3_600_000, 2_700_000],
    [1_000, 1_000],
  ])("of a watch of %i ms waits for %i ms", (watchMs, timeoutMs) => {
    expect(canaryTimeoutMs(watchMs)).toBe(timeoutMs);
  });
});
