import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../../../../src/job/rules/durations.ts";
import { mismatchesOf } from "../../../../../src/job/rules/parsed.ts";
import { addressPatterns } from "../../../../../src/job/rules/patterns/ip-address-patterns.ts";
import { valuePatterns } from "../../../../../src/job/rules/patterns/json-value-patterns.ts";
import {
  durationPatterns,
  momentPatterns,
  numberPatterns,
} from "../../../../../src/job/rules/patterns/number-and-time-patterns.ts";
import {
  parseDateOrTime,
  parseEdge,
  resolveEdge,
} from "../../../../../src/job/rules/patterns/parse-dates.ts";
import { parseRate, rateText } from "../../../../../src/job/rules/patterns/parse-rate.ts";
import { textPatterns } from "../../../../../src/job/rules/patterns/text-patterns.ts";

const kinds = {
  number: numberPatterns,
  duration: durationPatterns,
  moment: momentPatterns,
  address: addressPatterns,
  text: textPatterns,
  value: valuePatterns,
};

const max = Number.POSITIVE_INFINITY;
const dayMs = 86_400_000;
const day = Date.UTC(2026, 10, 1);
const none = { kind: "none" };
const some = { kind: "some" };
const range = (from: number, to: number) => ({ kind: "range", from, to });
const network = (address: string, bits: number) => ({ kind: "network", address, bits });
const exact = (value: string) => ({ kind: "exact", value });
const glob = (pattern: string) => ({ kind: "glob", pattern });
const regex = (source: string) => ({ kind: "regex", source });
const inside = (pattern: object) => ({ kind: "text", pattern });
const literal = (value: unknown) => ({ kind: "literal", value });
const span = (from: number, to: number, openFrom = false, openTo = false) => {
  return { kind: "number", from, to, openFrom, openTo };
};

describe("patterns", () => {
  it.each<[keyof typeof kinds, unknown, object[]]>([
    ["number", 503, [range(503, 503)]],
    ["number", "503", [range(503, 503)]],
    ["number", " 502 - 504 ", [range(502, 504)]],
    ["number", "4XX", [range(400, 499)]],
    ["number", "< 3", [range(-max, 2)]],
    ["number", "> 3", [range(4, max)]],
    ["number", ">= 5", [range(5, max)]],
    ["number", [429, "502-504", "none"], [range(429, 429), range(502, 504), none]],
    ["number", { in: [500, 503] }, [range(500, 500), range(503, 503)]],
    ["number", { range: "502-504" }, [range(502, 504)]],
    ["number", ["5xx", { exists: false }], [range(500, 599), none]],
    ["duration", "> 48h", [range(172_800_001, max)]],
    ["duration", ">=48h", [range(172_800_000, max)]],
    ["duration", "1h-2h", [range(3_600_000, 7_200_000)]],
    ["duration", ["< 1m", "> 1h"], [range(-max, 59_999), range(3_600_001, max)]],
    ["moment", "2026-11-01", [range(day, day + dayMs - 1)]],
    ["moment", "< 2026-11-01", [range(-max, day - 1)]],
    ["moment", "> 2026-11-01", [range(day + dayMs, max)]],
    ["moment", "< 2026-11-01T18:00:00Z", [range(-max, day + 64_799_999)]],
    ["moment", "2026-11-01 - 2026-11-03", [range(day, day + 3 * dayMs - 1)]],
    ["moment", `>= ${day}`, [range(day, max)]],
    ["moment", [day, "none", { exists: true }], [range(day, day), none, some]],
    ["address", "10.1.2.3", [network("10.1.2.3", 32)]],
    ["address", "2001:DB8::1", [network("2001:db8::1", 128)]],
    ["address", "::ffff:10.1.2.3", [network("10.1.2.3", 32)]],
    ["address", "::ffff:a01:203/120", [network("10.1.2.3", 24)]],
    ["address", { in: ["10.0.0.0/8", "2001:db8::/32"] }, [network("10.0.0.0", 8), network("2001:db8::", 32)]],
    ["address", ["none", { exists: true }], [none, some]],
    ["text", "*.example.com", [glob("*.example.com")]],
    ["text", { regex: "^ord-[0-9]+$" }, [regex("^ord-[0-9]+$")]],
    ["text", { prefix: "a*" }, [{ kind: "prefix", value: "a*" }]],
    ["text", { suffix: "none" }, [{ kind: "suffix", value: "none" }]],
    ["text", { equals: "none" }, [exact("none")]],
    ["text", [{ exists: true }, { exists: false }], [some, none]],
    ["value", ["acme", "acme*"], [inside(exact("acme")), inside(glob("acme*"))]],
    ["value", [3, -0.5], [span(3, 3), span(-0.5, -0.5)]],
    ["value", ">= -1.5", [span(-1.5, max, false, true)]],
    ["value", { range: "-3 - -1" }, [span(-3, -1)]],
    ["value", [true, null, "none"], [literal(true), literal(null), none]],
    ["value", { in: ["a*", 1] }, [inside(exact("a*")), span(1, 1)]],
    ["value", { regex: "^a" }, [inside(regex("^a"))]],
  ])("of a %s: %j", (kind, value, patterns) => {
    expect(kinds[kind].parse(value)).toEqual({ ok: true, value: patterns });
  });

  const refused: readonly (readonly [keyof typeof kinds, string, readonly unknown[]])[] = [
    ["number", "502-504", [503.5, -1, Number.NaN, "504-502", "0xx", "5x", "> x", "", "429, 503"]],
    ["number", "502-504", [[], [[503]], null, true, "1e3"]],
    ["duration", "", ["48h", 48, "2h-1h", "> 48", "none", "", [], "> "]],
    ["moment", "", ["2026-11-31", "2026-11-01T18:00:00", "> yesterday", 1_700_000_000, 5, true, null]],
    ["moment", "", [[], {}, "2026-11-03 - 2026-11-01"]],
    ["address", "", ["10.1.2", "10.1.2.300", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.*", "", 10, []]],
    ["address", "", ["::ffff:10.0.0.0/8", "fe80::1%eth0"]],
    ["text", "glob", [1, "", null, []]],
    ["value", "", ["", Number.NaN, Infinity, 2 ** 53, [], {}, { range: "7-3" }, { equals: {} }, [["a"]]]],
  ];
  it.each(refused.flatMap(([kind, part, values]) => values.map((value) => ({ kind, value, part }))))(
    "of a $kind refuse $value",
    ({ kind, value, part }) => {
      expect(kinds[kind].parse(value)).toMatchObject({
        ok: false,
        expected: expect.stringContaining(part) as string,
      });
    },
  );

  it.each<[unknown, readonly (string | number)[], string]>([
    [{ regx: "a" }, [], "exactly one of regex"],
    [{ prefix: "a", suffix: "b" }, [], "exactly one of regex"],
    [{ constructor: "a" }, [], "exactly one of regex"],
    [{ regex: "(" }, ["regex"], "missing closing"],
    [{ regex: "\\1" }, ["regex"], "RE2"],
    [{ regex: "a".repeat(1_001) }, ["regex"], "at most 1000"],
    [{ in: [] }, ["in"], "a list"],
    [["a", { in: ["b", 5] }], [1, "in", 1], "a text"],
    [{ exists: "yes" }, ["exists"], "true or false"],
  ])("of texts refuse %j at %j", (value, at, expected) => {
    const parsed = textPatterns.parse(value);
    expect(parsed).toMatchObject({ ok: false, expected: expect.stringContaining(expected) as string });
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
    ["1d2h3m4s5ms", 93_784_005],
    ["0s", 0],
    [" 5m ", 300_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
  });

  it.each([30, "30", 0])("refuse the plain number %j with a hint", (value) => {
    expect(parseDuration(value)).toMatchObject({
      ok: false,
      expected: expect.stringContaining("unit") as string,
    });
  });

  it.each(["", "m", "1.5h", "30m1h", "1h1h", "-5m", "5 m", "5w", null, {}])("refuse %j", (value) => {
    expect(parseDuration(value).ok).toBe(false);
  });

  it.each<[number, string]>([
    [0, "0s"],
    [999, "999ms"],
    [40_000, "40s"],
    [5_430_000, "1h30m"],
    [90_061_000, "1d1h"],
    [86_400_000 + 60_000, "1d"],
    [-40_000, "-40s"],
  ])("%d ms is written %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe("a rate", () => {
  it.each<[string, number, number]>([
    ["20/s", 20, 1_000],
    ["600/m", 600, 60_000],
    [" 1000 / h ", 1_000, 3_600_000],
  ])("%s", (text, count, perMs) => {
    expect(parseRate(text)).toEqual({ ok: true, value: { count, perMs } });
    expect(parseRate(rateText({ count, perMs }))).toEqual(parseRate(text));
  });

  it.each(["0/s", "20", "20/d", "1.5/s", "-1/s", 20, null, "20/ms"])("refuses %j", (value) => {
    expect(parseRate(value).ok).toBe(false);
  });
});

describe("a date or time", () => {
  const now = Date.UTC(2026, 10, 9, 12);

  it.each<[string, string]>([
    ["2024-02-29", "2024-02-29T23:59:59.999Z"],
    ["2026-12-01T18:00:00Z", "2026-12-01T18:00:00.000Z"],
    ["2026-12-01T18:00+02:00", "2026-12-01T16:00:00.000Z"],
  ])("%s is %s", (text, iso) => {
    expect(parseDateOrTime(text)).toEqual({ ok: true, value: Date.parse(iso) });
  });

  const days = ["2025-02-29", "2026-13-01", "2026-12-1", "tomorrow", 20261201, null];
  // The first two may be taken by Date.
  const times = ["2026-02-30T10:00:00Z", "2026-12-01T25:00:00Z", "2026-12-01T18:00:00"];
  it.each([...days, ...times])("refuses %j", (value) => {
    expect(parseDateOrTime(value).ok).toBe(false);
  });

  it.each<[unknown, "from" | "to", number]>([
    ["-2d", "from", now - 172_800_000],
    ["now-90m", "to", now - 5_400_000],
    ["now", "to", now],
    ["2026-11-01", "from", Date.UTC(2026, 10, 1)],
    ["2026-11-01", "to", Date.UTC(2026, 10, 2) - 1],
    ["2026-11-01T18:00:00+01:00", "from", Date.UTC(2026, 10, 1, 17)],
    [now, "to", now],
  ])("%j as the end %s of a range", (value, side, at) => {
    const edge = parseEdge(value, side);
    expect(edge.ok ? resolveEdge(edge.value, now) : edge).toBe(at);
  });

  it.each(["2d", "+2d", "-2", "yesterday", 1_700_000_000, "2026-02-30", null, {}])(
    "ends no range: %j",
    (value) => {
      expect(parseEdge(value, "from").ok).toBe(false);
    },
  );
});
