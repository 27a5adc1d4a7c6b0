import { describe, expect, test } from "vitest";
import { retryLadderMs } from "../../../emulator/delivery/retry-waits.ts";
import { formatCursor, parseCursor, parseDlqId } from "../../../emulator/dlq/dlq-ids-and-cursors.ts";
import { parseDurationMs } from "../../../emulator/publish/header-values.ts";
import { parseMessageHeaders } from "../../../emulator/publish/message-headers.ts";
import { parseRetryDelay } from "../../../emulator/publish/retry-delay.ts";
import { formatTimestamp } from "../../../emulator/statistics/index-statistics-answer.ts";

describe("durations", () => {
  test.each([
    ["30s", 30_000],
    ["2m", 120_000],
    ["1d10h30m", 86_400_000 + 36_000_000 + 1_800_000],
  ])("%s is %d ms", (text, ms) => expect(parseDurationMs(text)).toBe(ms));

  test.each(["", "30", "s", "-1s", "1.5s", "1w", "1s "])("%j is not a duration", (text) =>
    expect(parseDurationMs(text)).toBeUndefined(),
  );
});

describe("the retry ladder", () => {
  test("climbs as documented and stops at one day", () => {
    const seconds = [1, 2, 3, 4, 5].map((n) => Math.round(retryLadderMs(n) / 1_000));
    expect(seconds).toEqual([12, 148, 1_808, 22_026, 86_400]);
  });
});

describe("retry delay expressions", () => {
  test.each([
    ["1000", 0, 1_000],
    ["1000 * (1 + retried)", 2, 3_000],
    ["pow(2, retried) * 500", 3, 4_000],
    ["min(60000, 2^retried * 1000)", 10, 60_000],
    ["-5", 0, 0],
    ["10^400", 0, 86_400_000],
    ["1 / 0 - 1 / 0", 0, 0],
  ])("%s after %d retries is %d ms", (expression, retried, ms) =>
    expect(parseRetryDelay(expression)?.ms(retried)).toBe(ms),
  );

  test.each(["", "1 +", "retired", "pow(1)", "1 2", "(1", "constructor(1)", "1;2", "(".repeat(400)])(
    "%s is refused",
    (expression) => expect(parseRetryDelay(expression)).toBeUndefined(),
  );
});

describe("message headers", () => {
  test.each([
    [{ "Upstash-Method": "TRACE" }, /method/],
    [{ "Upstash-Retries": "-1" }, /Retries/],
    [{ "Upstash-Delay": "soon" }, /Delay/],
    [{ "Upstash-Not-Before": "1.5" }, /Not-Before/],
    [{ "Upstash-Callback": "ftp://x" }, /Callback/],
    [{ "Upstash-Deduplication-Id": "a:b" }, /DeduplicationId cannot contain ':'/],
    [{ "Upstash-Deduplication-Id": "a b" }, /DeduplicationId/],
    [{ "Upstash-Flow-Control-Key": "k" }, /together/],
    [{ "Upstash-Flow-Control-Key": "k", "Upstash-Flow-Control-Value": "speed=1" }, /Flow-Control-Value/],
    [{ "Upstash-Redact-Fields": "everything" }, /Redact-Fields/],
    [{ "Upstash-Forward-X": "line\nbreak" }, /invalid value/],
    [{ "not a name": "x" }, /invalid header name/],
  ])("%j are refused", (headers, reason) => {
    expect(() => parseMessageHeaders(headers as unknown as Record<string, string>, "Upstash-")).toThrow(
      reason,
    );
  });

  test("survive a forwarded name that is special in JavaScript", () => {
    const { header } = parseMessageHeaders({ "Upstash-Forward-__proto__": "x" }, "Upstash-");
    expect(Object.keys(header)).toEqual(["__proto__"]);
  });
});

describe("positions", () => {
  test("a dlqId and a cursor name one place", () => {
    expect(parseDlqId("1725323658779-3")).toEqual({ ms: 1_725_323_658_779, seq: 3 });
    expect(parseCursor(formatCursor({ ms: 5, seq: 1 }))).toEqual({ ms: 5, seq: 1 });
  });

  test.each(["", "1", "1-", "01-0", "1-00", "-1-0", "a-b", "9".repeat(30) + "-0"])("%j is no dlqId", (text) =>
    expect(parseDlqId(text)).toBeUndefined(),
  );
});

test("timestamps have the service's odd form", () => {
  const ms = Date.UTC(2025, 9, 19, 17, 34, 0, 7);
  expect(formatTimestamp(ms, 3)).toBe("2025-10-19 17:34:00.007 +0000 UTC");
  expect(formatTimestamp(ms, 9)).toMatch(/^2025-10-19 17:34:00\.007\d{6} \+0000 UTC$/);
});
