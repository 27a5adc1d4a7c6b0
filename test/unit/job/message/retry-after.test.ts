import { describe, expect, it } from "vitest";
import { isNonRetryable, retryAfterOf } from "../../../../src/job/message/retry-after.ts";
import { letterOf } from "../../../support/letters.ts";
import { words } from "../../../support/words.ts";

const second = 1_000;
const day = 86_400_000;
/** A Sunday, in whole seconds. */
const entered = Date.UTC(2026, 10, 29, 12, 0, 0);

/** How long after its entry the record may go, in ms; null: at once. */
function waitMs(responseHeader: Record<string, unknown>): number | null {
  const at = retryAfterOf(letterOf({ dlqId: `${entered}-0`, responseHeader }));
  return at === null ? null : at - entered;
}

describe("a receiver's wish to be left alone is read", () => {
  it.each<[string, string, number]>([
    ["Retry-After", "120", 120 * second],
    ["retry-after", "1.5", 1.5 * second],
    ["RETRY-AFTER", "2m", 120 * second],
    ["retry-after-ms", "1500", 1_500],
    ["Retry-After-Ms", "1500.2", 1_501],
    ["x-ms-retry-after-ms", "750", 750],
    ["X-RateLimit-Reset", "30", 30 * second],
    ["X-Rate-Limit-Reset", String(entered / second + 30), 30 * second],
    ["X-RateLimit-Reset", String(entered + 1_234), 1_234],
    ["X-RateLimit-Reset-Requests", "1s", second],
    ["x-ratelimit-reset-tokens", "6m0s", 360 * second],
    ["X-RateLimit-Reset-Tokens", "120ms", 120],
    ["x-ratelimit-reset-requests", "1d0h", day],
    ["X-RateLimit-Reset-After", "0.25", 250],
    ["anthropic-ratelimit-tokens-reset", "2026-11-29T12:00:30Z", 30 * second],
    ["RateLimit-Reset", "50", 50 * second],
    ["Burst-RateLimit-Reset", String(entered / second + 5), 5 * second],
    ["RateLimit", '"default";r=0;t=30', 30 * second],
    ["RateLimit", '"default"; r=0; t=30', 30 * second],
    ["ratelimit", '"burst";r=0;t=5, "a;t=900,t=800";r=1;t=60', 60 * second],
    ["RateLimit", "default;t=7;r=0", 7 * second],
    ["RateLimit", "limit=10, remaining=0, reset=30", 30 * second],
  ])("%s: %s", (name, value, ms) => {
    expect(waitMs({ [name]: [value] })).toBe(ms);
    expect(waitMs({ [name]: value })).toBe(ms);
  });

  it.each([
    ["IMF-fixdate", "Sun, 29 Nov 2026 12:01:30 GMT"],
    ["RFC 850", "Sunday, 29-Nov-26 12:01:30 GMT"],
    ["asctime", "Sun Nov 29 12:01:30 2026"],
    ["ISO 8601 in UTC", "2026-11-29T12:01:30Z"],
    ["ISO 8601 with an offset", "2026-11-29T17:31:30+05:30"],
    ["ISO 8601 with a short offset", "2026-11-29T07:01:30-0500"],
    ["ISO 8601 with a fraction", "2026-11-29T12:01:29.9999Z"],
    ["ISO 8601 without a zone", "2026-11-29T12:01:30"],
    ["ISO 8601 with a space", "2026-11-29 12:01:30+00:00"],
    ["ISO 8601 without signs", "20261129T120130Z"],
    ["a duration of ISO 8601", "PT1M30S"],
    ["a duration of ISO 8601 in seconds", "PT90S"],
    ["a duration of Go", "1m30s"],
  ])("as %s", (_, value) => {
    expect(waitMs({ "Retry-After": [value] })).toBe(90 * second);
    expect(waitMs({ "X-RateLimit-Reset-Requests": [value] })).toBe(90 * second);
  });

  it("as a date with one digit for the day, and one of the year's last second", () => {
    const at = Date.UTC(2026, 11, 6, 8, 49, 37) - entered;
    expect(at).toBeGreaterThan(day);
    expect(waitMs({ "Retry-After": ["Sun Dec  6 08:49:37 2026"] })).toBe(day);
    expect(waitMs({ "Retry-After": ["Sun, 29 Nov 2026 23:59:60 GMT"] })).toBe(12 * 3_600_000);
  });

  it.each([
    ["600 seconds", 600],
    ["1 minute", 60],
    ["90sec", 90],
    ["1 hour 30 minutes", 5_400],
    ["500 milliseconds", 0.5],
    ["1 mountain", null],
    ["+600", 600],
    ['"600"', 600],
    ['"600', null],
    ["Sun, 29 Nov 2026 12:10:00 +0000", 600],
    ["Sun, 29 Nov 2026 07:10:00 -0500", 600],
    ["Sun, 29 Nov 2026 12:10:00 Z", 600],
    ['"Sun, 29 Nov 2026 12:10:00 GMT", "5"', 600],
  ])("as people and libraries write it: %s", (value, seconds) => {
    expect(waitMs({ "Retry-After": [value] })).toBe(seconds === null ? null : seconds * second);
    expect(waitMs({ "RateLimit-Reset": [value] })).toBe(seconds === null ? null : seconds * second);
  });

  it("of several, and of lists, as the latest, at most a day", () => {
    expect(waitMs({ "Retry-After": ["5", "60"], "X-RateLimit-Reset": ["30"] })).toBe(60 * second);
    expect(waitMs({ "retry-after": "5", "Retry-After": "7", "retry-after-ms": "6500" })).toBe(7 * second);
    expect(waitMs({ "Retry-After": ["120, 60"] })).toBe(120 * second);
    expect(waitMs({ "X-RateLimit-Reset-Requests": ["1s, 6m0s,2s"] })).toBe(360 * second);
    const dates = ["Sun, 29 Nov 2026 12:00:05 GMT", "Sunday, 29-Nov-26 12:00:09 GMT", "7"].join(", ");
    expect(waitMs({ "Retry-After": [dates] })).toBe(9 * second);
    expect(waitMs({ "retry-after-ms": ["100, 900"] })).toBe(900);
    expect(waitMs({ "Retry-After": "3", "RateLimit-Reset": String(30 * 86_400) })).toBe(day);
    expect(waitMs({ "Retry-After": ["soon, 4"] })).toBe(4 * second);
  });

  it.each([
    ...words(", 0 -5 soon 1m30 P PT PT5 20261130 NaN Infinity \ud800"),
    ...words("2026-13-01T00:00:00Z 2026-11-31T00:00:00Z 2026-11-29T25:00:00Z"),
    "",
    "Sun, 31 Nov 2026 12:00:00 GMT",
    "Sun, 29 Foo 2026 12:00:00 GMT",
    // Of 1994: a year of two digits is never more than 50 years ahead.
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "9".repeat(500),
    "1h".repeat(50_000),
    '"\\'.repeat(50_000),
    ", ".repeat(50_000),
  ])("and %j is none", (value) => {
    expect(waitMs({ "Retry-After": [value], RateLimit: [value] })).toBe(null);
  });

  it("and other headers are none", () => {
    const others = { "RateLimit-Limit": "10", "RateLimit-Policy": '"default";q=100;w=60', "X-Reset": "60" };
    expect(waitMs({ ...others, "X-RateLimit-Remaining": "60", RateLimit: "limit=10, remaining=5" })).toBe(
      null,
    );
  });
});

const saying = (value: unknown, name = "Upstash-NonRetryable-Error") => ({ [name]: value });

it.each<[string, number, Record<string, unknown>, boolean]>([
  ["489 with the header", 489, saying(["true"]), true],
  ["another prefix and case", 489, saying("True", "service-nonretryable-error"), true],
  ["another status", 500, saying(["true"]), false],
  ["no header", 489, {}, false],
  ["a header that says false", 489, saying(["false"]), false],
])("a receiver's word never again: %s", (_name, responseStatus, responseHeader, expected) => {
  expect(isNonRetryable(letterOf({ responseStatus, responseHeader }))).toBe(expected);
});
