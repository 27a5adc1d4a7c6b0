import { describe, expect, it } from "vitest";
import { addressPatterns } from "../../../../../src/job/rules/patterns/ip-address-patterns.ts";
import { momentPatterns } from "../../../../../src/job/rules/patterns/number-and-time-patterns.ts";
import { parseEdge, resolveEdge } from "../../../../../src/job/rules/patterns/parse-dates.ts";
import { parseRate, rateText } from "../../../../../src/job/rules/patterns/parse-rate.ts";
import { valuePatterns } from "../../../../../src/job/rules/patterns/json-value-patterns.ts";

const range = (from: number, to: number) => ({ kind: "range", from, to });
const text = (pattern: object) => ({ kind: "text", pattern });
const none = { kind: "none" };
const some = { kind: "some" };
const infinity = Number.POSITIVE_INFINITY;

describe("moments", () => {
  const day = Date.UTC(2026, 10, 1);
  it.each<[unknown, unknown[]]>([
    ["2026-11-01", [range(day, day + 86_399_999)]],
    ["< 2026-11-01", [range(-infinity, day - 1)]],
    ["<= 2026-11-01", [range(-infinity, day + 86_399_999)]],
    ["> 2026-11-01", [range(day + 86_400_000, infinity)]],
    [">= 2026-11-01", [range(day, infinity)]],
    ["< 2026-11-01T18:00:00Z", [range(-infinity, day + 64_799_999)]],
    ["2026-11-01 - 2026-11-03", [range(day, day + 3 * 86_400_000 - 1)]],
    [day, [range(day, day)]],
    [`>= ${day}`, [range(day, infinity)]],
    ["none", [none]],
    [{ exists: true }, [some]],
  ])("%j", (value, patterns) => {
    expect(momentPatterns.parse(value)).toEqual({ ok: true, value: patterns });
  });

  it.each([
    "2026-11-31",
    "2026-11-01T18:00:00",
    "> yesterday",
    1_700_000_000,
    5,
    true,
    null,
    [],
    {},
    "2026-11-03 - 2026-11-01",
  ])("refuse %j", (value) => {
    expect(momentPatterns.parse(value).ok).toBe(false);
  });
});

const network = (address: string, bits: number) => ({ kind: "network", address, bits });
it.each<[unknown, unknown[]]>([
  ["10.1.2.3", [network("10.1.2.3", 32)]],
  ["10.0.0.0/8", [network("10.0.0.0", 8)]],
  ["2001:DB8::1", [network("2001:db8::1", 128)]],
  ["2001:db8::/32", [network("2001:db8::", 32)]],
  ["::ffff:10.1.2.3", [network("10.1.2.3", 32)]],
  ["::ffff:a01:203/120", [network("10.1.2.3", 24)]],
  [{ in: ["10.0.0.0/8", "::1"] }, [network("10.0.0.0", 8), network("::1", 128)]],
  [
    ["none", { exists: true }],
    [none, some],
  ],
])("%j", (value, patterns) => {
  expect(addressPatterns.parse(value)).toEqual({ ok: true, value: patterns });
});

describe("addresses", () => {
  it.each([
    "10.1.2",
    "10.1.2.300",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "::/129",
    "::ffff:10.0.0.0/8",
    "10.*",
    "fe80::1%eth0",
    "",
    10,
    [],
  ])("refuse %j", (value) => {
    expect(addressPatterns.parse(value).ok).toBe(false);
  });
});

const span = (from: number, to: number, openFrom = false, openTo = false) => ({
  kind: "number",
  from,
  to,
  openFrom,
  openTo,
});

describe("values inside JSON", () => {
  it.each<[unknown, unknown[]]>([
    ["acme", [text({ kind: "exact", value: "acme" })]],
    ["acme*", [text({ kind: "glob", pattern: "acme*" })]],
    [3, [span(3, 3)]],
    [-0.5, [span(-0.5, -0.5)]],
    ["< 3", [span(-infinity, 3, true, true)]],
    [">= -1.5", [span(-1.5, infinity, false, true)]],
    [{ range: "3-7" }, [span(3, 7)]],
    [{ range: "-3 - -1" }, [span(-3, -1)]],
    ["5xx", [text({ kind: "exact", value: "5xx" })]],
    [{ equals: "< 3" }, [text({ kind: "exact", value: "< 3" })]],
    [{ equals: null }, [{ kind: "literal", value: null }]],
    [
      [true, null, "none"],
      [{ kind: "literal", value: true }, { kind: "literal", value: null }, none],
    ],
    [{ in: ["a*", 1] }, [text({ kind: "exact", value: "a*" }), span(1, 1)]],
    [{ regex: "^a" }, [text({ kind: "regex", source: "^a" })]],
    [{ exists: true }, [some]],
  ])("%j", (value, patterns) => {
    expect(valuePatterns.parse(value)).toEqual({ ok: true, value: patterns });
  });

  it.each([
    "",
    Number.NaN,
    Infinity,
    2 ** 53,
    [],
    {},
    { range: "7-3" },
    { range: 3 },
    { equals: {} },
    [["a"]],
  ])("refuse %j", (value) => {
    expect(valuePatterns.parse(value).ok).toBe(false);
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
    expect(parseRate(value)).toMatchObject({ ok: false, expected: expect.stringContaining("20/s") });
  });
});

describe("an end of a range of dates", () => {
  const now = Date.UTC(2026, 10, 9, 12);
  it.each<[unknown, "from" | "to", number]>([
    ["-2d", "from", now - 172_800_000],
    ["now-90m", "to", now - 5_400_000],
    ["now", "to", now],
    ["2026-11-01", "from", Date.UTC(2026, 10, 1)],
    ["2026-11-01", "to", Date.UTC(2026, 10, 2) - 1],
    ["2026-11-01T18:00:00+01:00", "from", Date.UTC(2026, 10, 1, 17)],
    [now, "to", now],
  ])("%j as %s", (value, side, at) => {
    const edge = parseEdge(value, side);
    expect(edge.ok ? resolveEdge(edge.value, now) : edge).toBe(at);
  });

  it.each(["2d", "+2d", "-2", "yesterday", 1_700_000_000, "2026-02-30", null, {}])("refuses %j", (value) => {
    expect(parseEdge(value, "from").ok).toBe(false);
  });
});
