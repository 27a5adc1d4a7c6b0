import { describe, expect, it } from "vitest";
import { retryAtOf } from "../../../../src/job/statistics/index-statistics-client.ts";

const now = Date.UTC(2026, 0, 1);

describe("Retry-After", () => {
  it.each([
    ["seconds", "7", 7_000],
    ["zero", "0", 0],
    ["an HTTP date", new Date(now + 90_000).toUTCString(), 90_000],
    ["a date that has passed", new Date(now - 90_000).toUTCString(), 0],
    ["nothing", null, 60_000],
    ["a time of ISO 8601", new Date(now + 90_000).toISOString(), 90_000],
    ["another form", "soon", 60_000],
    ["a negative number", "-5", 60_000],
    ["more than an hour", "99999999999999", 3_600_000],
  ])("of %s", (_, header, waitMs) => {
    expect(retryAtOf(header, now) - now).toBe(waitMs);
  });
});
