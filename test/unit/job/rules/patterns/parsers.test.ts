import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../../../../src/job/rules/durations.ts";
import {
  numberPatterns,
  durationPatterns,
} from "../../../../../src/job/rules/patterns/number-and-time-patterns.ts";
import { parseDateOrTime } from "../../../../../src/job/rules/patterns/parse-dates.ts";
import { mismatchesOf } from "../../../../../src/job/rules/parsed.ts";
import { textPatterns } from "../../../../../src/job/rules/patterns/text-patterns.ts";

const range = (from: number, to: number) => ({ kind: "range", from, to });
const none = { kind: "none" };
const some = { kind: "some" };
const infinity = Number.POSITIVE_INFINITY;

describe("number patterns", () => {
  it.each<[unknown, unknown[]]>([
    [503, [range(503, 503)]],
    ["503", [range(503, 503)]],
    ["502-504", [range(502, 504)]],
    [" 502 - 504 ", [range(502, 504)]],
    ["5xx", [range(500, 599)]],
    ["4XX", [range(400, 499)]],
    ["< 3", [range(-infinity, 2)]],
    ["<=3", [range(-infinity, 3)]],
    ["> 3", [range(4, infinity)]],
    [">= 5", [range(5, infinity)]],
    ["none", [none]],
    [
      [429, "502-504", "none"],
      [range(429, 429), range(502, 504), none],
    ],
    [{ equals: 503 }, [range(503, 503)]],
    [{ in: [500, 503] }, [range(500, 500), range(503, 503)]],
    [{ range: "502-504" }, [range(502, 504)]],
    [{ exists: true }, [some]],
    [{ exists: false }, [none]],
    [
      ["5xx", { exists: false }],
      [range(500, 599), none],
    ],
  ])("%j", (value, patterns) => {
    expect(numberPatterns.parse(value)).toEqual({ ok: true, value: patterns });
  });

  it.each([
    503.5,
    -1,
    Number.NaN,
    "504-502",
    "xx5",
    "0xx",
    "5x",
    "> x",
    "",
    "429, 503",
    [],
    [[503]],
    null,
    true,
    "1e3",
  ])("refuse %j and say what is expected", (value) => {
    expect(numberPatterns.parse(value)).toMatchObject({
      ok: false,
      expected: expect.stringContaining("502-504"),
    });
  });
});

describe("text patterns", () => {
  it.each<[unknown, unknown[]]>([
    ["orders", [{ kind: "exact", value: "orders" }]],
    ["*.example.com", [{ kind: "glob", pattern: "*.example.com" }]],
    [
      ["a", "none"],
      [{ kind: "exact", value: "a" }, none],
    ],
    [{ regex: "^ord-[0-9]+$" }, [{ kind: "regex", source: "^ord-[0-9]+$" }]],
    [{ prefix: "a*" }, [{ kind: "prefix", value: "a*" }]],
    [{ suffix: "none" }, [{ kind: "suffix", value: "none" }]],
    [{ equals: "none" }, [{ kind: "exact", value: "none" }]],
    [{ equals: "a*" }, [{ kind: "exact", value: "a*" }]],
    [
      { in: ["a*", "b"] },
      [
        { kind: "exact", value: "a*" },
        { kind: "exact", value: "b" },
      ],
    ],
    [{ exists: true }, [some]],
    [{ exists: false }, [none]],
  ])("%j", (value, patterns) => {
    expect(textPatterns.parse(value)).toEqual({ ok: true, value: patterns });
  });

  it.each([1, "", null, []])("refuse %j", (value) => {
    expect(textPatterns.parse(value)).toMatchObject({ ok: false, expected: expect.stringContaining("glob") });
  });

  it.each<[unknown, readonly (string | number)[], string]>([
    [{}, [], "exactly one of regex"],
    [{ regx: "a" }, [], "exactly one of regex"],
    [{ prefix: "a", suffix: "b" }, [], "exactly one of regex"],
    [{ constructor: "a" }, [], "exactly one of regex"],
    [["a", 1], [1], "a text"],
    [{ regex: "(" }, ["regex"], "missing closing"],
    [{ regex: "(?=a)" }, ["regex"], "RE2"],
    [{ regex: "\\1" }, ["regex"], "RE2"],
    [{ regex: "(a{100}){100}" }, ["regex"], "RE2"],
    [{ regex: "a".repeat(1_001) }, ["regex"], "at most 1000"],
    [{ in: [] }, ["in"], "a list"],
    [["a", { in: ["b", 5] }], [1, "in", 1], "a text"],
    [{ exists: "yes" }, ["exists"], "true or false"],
  ])("refuse %j at %j", (value, at, expected) => {
    const parsed = textPatterns.parse(value);
    expect(parsed).toMatchObject({ ok: false, expected: expect.stringContaining(expected) });
    expect(parsed.ok ? null : (parsed.at ?? [])).toEqual(at);
  });

  it("tell of every member of a list that is wrong", () => {
    const parsed = textPatterns.parse([1, "a", { regex: "[" }, 2]);
    expect(parsed.ok ? [] : mismatchesOf(parsed).map(({ at }) => at)).toEqual([[0], [2, "regex"], [3]]);
  });
});

describe("durations", () => {
  it.each<[string, number]>([
    ["250ms", 250],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
    ["3d", 259_200_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["0s", 0],
    [" 5m ", 300_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
  });

  it.each([30, "30", 0])("refuse the plain number %j with a hint", (value) => {
    expect(parseDuration(value)).toMatchObject({ ok: false, expected: expect.stringContaining("unit") });
  });

  it.each(["", "m", "1.5h", "30m1h", "1h1h", "-5m", "5 m", "5w", null, {}])("refuse %j", (value) => {
    expect(parseDuration(value).ok).toBe(false);
  });

  it.each<[unknown, unknown[]]>([
    ["> 48h", [range(172_800_001, infinity)]],
    [">=48h", [range(172_800_000, infinity)]],
    ["< 5m", [range(-infinity, 299_999)]],
    ["<= 5m", [range(-infinity, 300_000)]],
    ["1h-2h", [range(3_600_000, 7_200_000)]],
    [
      ["< 1m", "> 1h"],
      [range(-infinity, 59_999), range(3_600_001, infinity)],
    ],
  ])("patterns: %j", (value, patterns) => {
    expect(durationPatterns.parse(value)).toEqual({ ok: true, value: patterns });
  });

  it.each(["48h", 48, "2h-1h", "> 48", "none", "", [], "> "])("patterns refuse %j", (value) => {
    expect(durationPatterns.parse(value).ok).toBe(false);
  });

  it.each<[number, string]>([
    [0, "0s"],
    [999, "999ms"],
    [40_000, "40s"],
    [300_000, "5m"],
    [5_400_000, "1h30m"],
    [5_430_000, "1h30m"],
    [90_061_000, "1d1h"],
    [86_400_000 + 60_000, "1d"],
    [-40_000, "-40s"],
  ])("%d ms is written %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe("a date or time", () => {
  it.each<[string, string]>([
    ["2026-12-01", "2026-12-01T23:59:59.999Z"],
    ["2024-02-29", "2024-02-29T23:59:59.999Z"],
    ["2026-12-01T18:00:00Z", "2026-12-01T18:00:00.000Z"],
    ["2026-12-01T18:00+02:00", "2026-12-01T16:00:00.000Z"],
  ])("%s is %s", (text, iso) => {
    expect(parseDateOrTime(text)).toEqual({ ok: true, value: Date.parse(iso) });
  });

  it.each([
    "2026-02-30",
    "2025-02-29",
    "2026-13-01",
    "2026-12-01T18:00:00",
    "tomorrow",
    20261201,
    null,
    "2026-12-1",
    "2026-02-30T10:00:00Z",
    "2026-12-01T25:00:00Z",
  ])("refuses %j", (value) => {
    expect(parseDateOrTime(value)).toMatchObject({
      ok: false,
      expected: expect.stringContaining("2026-12-01"),
    });
  });
});
