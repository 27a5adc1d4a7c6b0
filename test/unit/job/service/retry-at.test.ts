import { expect, test } from "vitest";
import { toRetryAt } from "../../../../src/job/service/retry-at.ts";

// Our clock is five minutes ahead of the service's.
const serviceNow = Date.UTC(2026, 10, 20, 12, 0, 0);
const receivedAt = serviceNow + 300_000;
const date = new Date(serviceNow).toUTCString();
const seconds = (ms: number): string => String((serviceNow + ms) / 1000);

const quarterMs = 15 * 60_000;
const dayMs = 24 * 3_600_000;

/** A limit's own headers: when it is reset, and what is left of it. */
const burst = (ms: number, remaining?: number) => limitOf("burst-ratelimit", ms, remaining);
const daily = (ms: number, remaining?: number) => limitOf("ratelimit", ms, remaining);
const limitOf = (name: string, ms: number, remaining?: number): Record<string, string> => ({
  [`${name}-reset`]: seconds(ms),
  ...(remaining === undefined ? {} : { [`${name}-remaining`]: String(remaining) }),
});
const after = (text: string) => ({ "retry-after": text });
const utc = (ms: number) => new Date(serviceNow + ms).toUTCString();
const reset = (text: string) => ({ "ratelimit-reset": text });

test.each<[string, Record<string, string>, number]>([
  ["Retry-After in seconds", after("7"), 7_000],
  ["Retry-After as a date, by the service's clock", { date, ...after(utc(20_000)) }, 20_000],
  ["Retry-After before any reset", { date, ...after("3"), ...daily(50_000) }, 3_000],
  ["a burst reset, by the service's clock", { date, ...burst(4_000) }, 4_000],
  ["a daily reset in Unix seconds", { date, ...daily(3_600_000) }, 3_600_000],
  ["a reset in Unix milliseconds", { date, ...reset(String(serviceNow + 5_500)) }, 5_500],
  ["a reset in seconds from now", { date, ...reset("60") }, 60_000],
  ["the one that is used up, not the sooner", { date, ...burst(2_000, 5), ...daily(900_000, 0) }, 900_000],
  ["the later reset when both are used up", { date, ...burst(2_000, 0), ...daily(900_000, 0) }, 900_000],
  ["the sooner reset when nothing says which it was", { date, ...burst(2_000), ...daily(900_000) }, 2_000],
  ["no header at all", { date }, 10_000],
  ["headers that say nothing readable", { date, ...after("soon"), ...reset("-") }, 10_000],
  ["a reset in the past", { date, ...daily(-60_000) }, 1_000],
  ["a daily reset in the year 2100", { date, ...reset(String(Date.UTC(2100, 0, 1) / 1000)) }, dayMs],
  ["a burst reset in some years", { date, ...burst(1_000 * dayMs) }, quarterMs],
  ["a burst reset that counts milliseconds", { date, "burst-ratelimit-reset": "900000" }, quarterMs],
  ["Retry-After for three thousand years", { date, ...after("99999999999") }, quarterMs],
  ["Retry-After that counts milliseconds", { date, ...after("900000") }, quarterMs],
  ["Retry-After as a date next year", { date, ...after(utc(365 * dayMs)) }, quarterMs],
  ["Retry-After as a Unix time", { date, ...after(seconds(30_000)) }, 30_000],
  ["Retry-After as a Unix time in ms", { date, ...after(String(serviceNow + 30_500)) }, 30_500],
  ["Retry-After beyond all numbers", { date, ...after("9".repeat(400)) }, quarterMs],
  ["a daily one that is used up", { date, ...burst(1_000 * dayMs, 0), ...daily(3_600_000, 0) }, 3_600_000],
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
