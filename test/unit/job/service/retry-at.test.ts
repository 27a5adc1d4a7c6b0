import { expect, test } from "vitest";
import { toRetryAt } from "../../../../src/job/service/retry-at.ts";

// Our clock is five minutes ahead of the service's.
const serviceNow = Date.UTC(2026, 10, 20, 12, 0, 0);
const receivedAt = serviceNow + 300_000;
const date = new Date(serviceNow).toUTCString();
const seconds = (ms: number): string => String((serviceNow + ms) / 1000);

const quarterMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;

test.each([
  ["Retry-After in seconds", { "retry-after": "7" }, 7_000],
  [
    "Retry-After as a date, by the service's clock",
    { date, "retry-after": new Date(serviceNow + 20_000).toUTCString() },
    20_000,
  ],
  ["Retry-After before any reset", { date, "retry-after": "3", "ratelimit-reset": seconds(50_000) }, 3_000],
  [
    "a burst reset in Unix seconds, by the service's clock",
    { date, "burst-ratelimit-reset": seconds(4_000) },
    4_000,
  ],
  ["a daily reset in Unix seconds", { date, "ratelimit-reset": seconds(3_600_000) }, 3_600_000],
  ["a reset in Unix milliseconds", { date, "ratelimit-reset": String(serviceNow + 5_500) }, 5_500],
  ["a reset in seconds from now", { date, "ratelimit-reset": "60" }, 60_000],
  [
    "the limit that is used up, not the sooner one",
    {
      date,
      "burst-ratelimit-reset": seconds(2_000),
      "burst-ratelimit-remaining": "5",
      "ratelimit-reset": seconds(900_000),
      "ratelimit-remaining": "0",
    },
    900_000,
  ],
  [
    "the later reset when both are used up",
    {
      date,
      "burst-ratelimit-reset": seconds(2_000),
      "burst-ratelimit-remaining": "0",
      "ratelimit-reset": seconds(900_000),
      "ratelimit-remaining": "0",
    },
    900_000,
  ],
  [
    "the sooner reset when nothing says which limit it was",
    { date, "burst-ratelimit-reset": seconds(2_000), "ratelimit-reset": seconds(900_000) },
    2_000,
  ],
  ["no header at all", { date }, 10_000],
  ["headers that say nothing readable", { date, "retry-after": "soon", "ratelimit-reset": "-" }, 10_000],
  ["a reset in the past", { date, "ratelimit-reset": seconds(-60_000) }, 1_000],
  ["a daily reset in the year 2100", { date, "ratelimit-reset": String(Date.UTC(2100, 0, 1) / 1000) }, dayMs],
  ["a burst reset in the year 2100", { date, "burst-ratelimit-reset": seconds(1_000 * dayMs) }, quarterMs],
  ["a burst reset that counts milliseconds", { date, "burst-ratelimit-reset": "900000" }, quarterMs],
  ["Retry-After for three thousand years", { date, "retry-after": "99999999999" }, quarterMs],
  ["Retry-After that counts milliseconds", { date, "retry-after": "900000" }, quarterMs],
  [
    "Retry-After as a date next year",
    { date, "retry-after": new Date(serviceNow + 365 * dayMs).toUTCString() },
    quarterMs,
  ],
  ["Retry-After as a Unix time", { date, "retry-after": seconds(30_000) }, 30_000],
  [
    "Retry-After as a Unix time in milliseconds",
    { date, "retry-after": String(serviceNow + 30_500) },
    30_500,
  ],
  ["Retry-After beyond all numbers", { date, "retry-after": "9".repeat(400) }, quarterMs],
  [
    "a daily reset that is used up, beside a mistaken burst",
    {
      date,
      "burst-ratelimit-reset": seconds(1_000 * dayMs),
      "burst-ratelimit-remaining": "0",
      "ratelimit-reset": seconds(3_600_000),
      "ratelimit-remaining": "0",
    },
    3_600_000,
  ],
])("%s", (_name, headers, waitMs) => {
  expect(toRetryAt({ headers, receivedAt })).toBe(receivedAt + waitMs);
});

test.each([
  ["so much sooner", 400, 650],
  ["up to a second before the reset", 950, 100],
  ["a second at least behind the reset", 999, 1_000],
])("a clock that falls into the second of the Date is finer than it: %s", (_name, ms, waitMs) => {
  const headers = { date, "burst-ratelimit-reset": seconds(ms === 999 ? 0 : 1_000) };
  expect(toRetryAt({ headers, receivedAt: serviceNow + ms })).toBe(serviceNow + ms + waitMs);
});

test("a wait in seconds is as long by any clock", () => {
  expect(toRetryAt({ headers: { date, "retry-after": "1" }, receivedAt: serviceNow + 400 })).toBe(
    serviceNow + 1_400,
  );
});

test("without a Date header points in time are judged by our own clock", () => {
  const headers = { "ratelimit-reset": String((receivedAt + 8_000) / 1000) };
  expect(toRetryAt({ headers, receivedAt })).toBe(receivedAt + 8_050);
});
