import { describe, expect, it } from "vitest";
import { compareInstants, formatInstant } from "../../../../src/job/contracts/index-statistics.ts";
import { parseTimestamp, toUnixSeconds } from "../../../../src/job/statistics/timestamp.ts";

const wholeSecond = Date.UTC(2025, 9, 19, 18, 33, 5);

describe("a timestamp of the statistics", () => {
  it.each([
    ["2025-10-19 18:33:05 +0000 UTC", wholeSecond, 0],
    ["2025-10-19 18:33:05.2 +0000 UTC", wholeSecond + 200, 0],
    ["2025-10-19 18:33:05.244068975 +0000 UTC", wholeSecond + 244, 68_975],
    ["2025-10-19 18:33:05.000000001 +0000 UTC", wholeSecond, 1],
    ["2025-10-19 18:33:05.999999999 +0000 UTC", wholeSecond + 999, 999_999],
    ["2024-02-29 00:00:00 +0000 UTC", Date.UTC(2024, 1, 29), 0],
    ["1969-12-31 23:59:59.500 +0000 UTC", -500, 0],
  ])("%s is read to the nanosecond", (text, epochMs, nanos) => {
    expect(parseTimestamp(text)).toEqual({ epochMs, nanos });
  });

  it.each([
    "2025-02-29 00:00:00 +0000 UTC",
    "2025-13-01 00:00:00 +0000 UTC",
    "0025-06-30 00:00:00 +0000 UTC",
    "2025-10-19 24:00:00 +0000 UTC",
    "2025-10-19 18:33:05.0000000001 +0000 UTC",
    "2025-10-19 18:33:05.244 +0200 CEST",
    "2025-10-19T18:33:05.244Z",
    "2025-10-19 18:33:05.244 +0000 UTC m=+0.1",
    " 2025-10-19 18:33:05.244 +0000 UTC",
    "٢٠٢٥-10-19 18:33:05 +0000 UTC",
    "",
  ])("%j is not one", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it("is ordered by its nanoseconds too", () => {
    const earlier = { epochMs: 5, nanos: 999_999 };
    expect(compareInstants(earlier, { epochMs: 6, nanos: 0 })).toBeLessThan(0);
    expect(compareInstants({ epochMs: 5, nanos: 2 }, { epochMs: 5, nanos: 1 })).toBeGreaterThan(0);
    expect(compareInstants(earlier, { ...earlier })).toBe(0);
  });

  it("is printed with all nine digits and exported in seconds", () => {
    const at = { epochMs: wholeSecond + 7, nanos: 42 };
    expect(formatInstant(at)).toBe("2025-10-19T18:33:05.007000042Z");
    expect(toUnixSeconds({ epochMs: 1_500, nanos: 250_000 })).toBe(1.50025);
  });
});
