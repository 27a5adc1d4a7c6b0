import { describe, expect, it } from "vitest";
import {
  formatStatistics,
  toStatisticsJson,
  type StatisticsView,
} from "../../../../../src/people/cli/index-stats/text.ts";
import { scalarFields, seriesFields } from "../../../../../src/job/contracts/index-statistics.ts";
import { parseStatistics } from "../../../../../src/job/statistics/parse-index-statistics.ts";

function viewOf(answer: unknown): StatisticsView {
  const parsed = parseStatistics(answer);
  if (parsed.kind === "unreadable") throw new Error(JSON.stringify(parsed.problems));
  return {
    index: { name: "catalog", id: "3f1c-catalog", period: "1h" },
    readAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    statistics: parsed.statistics,
  };
}

const view = viewOf({
  pending_index_count: 12,
  query_latency_99: [
    { x: "2025-10-19 18:33:05.244068975 +0000 UTC", y: 4.5 },
    { x: "2025-10-19 17:34:00.000 +0000 UTC", y: 20 },
  ],
  days: ["Sunday", "Monday"],
  region: "eu",
  storage_usage: "much",
  data_size: [
    { x: "soon", y: 1 },
    { x: "later", y: 1 },
  ],
});

const look = { columns: 80, bars: "unicode" } as const;

describe("index stats on a terminal", () => {
  const lines = formatStatistics([view], look).split("\n");

  it("says which index, which period and when", () => {
    expect(lines[0]).toBe("index catalog (3f1c-catalog), period 1h, read 2026-01-02T03:04:05.000Z");
  });

  it("shows a dash for what was not told", () => {
    expect(lines).toContain("pending_index_count              12  monthly_bandwidth_usage              -");
    expect(lines).toContain(
      "daily_query_requests   -                            -        -        -        -",
    );
  });

  it("shows of a series its course, newest, lowest and highest value, and how old the newest is", () => {
    expect(lines).toContain(
      "SERIES                 TREND                   NEWEST   LOWEST  HIGHEST      AGE",
    );
    expect(lines).toContain(
      "query_latency_99       █▁                         4.5      4.5       20    74d8h",
    );
  });

  it("names what it could not use, once per field, and what it does not know", () => {
    expect(lines).toContain('not used: storage_usage: expected an integer, got the text "much"');
    expect(lines.join(" ").match(/not used: data_size\S*/g)).toEqual(["not used: data_size[0].x:"]);
    expect(lines.join(" ")).toContain("(and 1 more)");
    expect(lines).toContain("fields not known to redriver: region");
    expect(lines).toContain("days: Sunday, Monday");
  });

  it("fits 80 columns, whatever the service answers", () => {
    const x = "2025-10-19 18:33:05.244068975 +0000 UTC";
    const values = [
      1e15 + 1,
      -1e15 - 1,
      123_456.789,
      0.000_012_345,
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      1e-300,
    ];
    const many = [...scalarFields, ...seriesFields].map((name) => `${name}_of_another_day`);
    const wide = values.map((value) =>
      viewOf({
        ...Object.fromEntries(scalarFields.map((field) => [field, Math.round(value)])),
        monthly_cost: value,
        ...Object.fromEntries(
          seriesFields.map((field) => [field, Array.from({ length: 240 }, () => ({ x, y: value }))]),
        ),
        days: Array.from({ length: 30 }, () => "Wednesday"),
        ...Object.fromEntries(many.map((name) => [name, 1])),
      }),
    );
    const widths = formatStatistics(wide, look)
      .split("\n")
      .map((line) => line.length);
    expect(widths.length).toBeGreaterThan(values.length * 24);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  });

  it("does not let the service write control characters", () => {
    const shown = formatStatistics([viewOf({ storage_usage: 1, days: ["\u001B[2JMonday\u202E"] })], look);
    expect(shown).toContain(String.raw`days: \u{1b}[2JMonday\u{202e}`);
  });
});

describe("index stats as JSON", () => {
  it("carries every point with all nine digits, and what was left over", () => {
    const [shown] = JSON.parse(JSON.stringify(toStatisticsJson([view])));
    expect(shown).toMatchObject({
      index: "catalog",
      id: "3f1c-catalog",
      period: "1h",
      readAt: "2026-01-02T03:04:05.000Z",
      scalars: { pending_index_count: 12 },
      days: ["Sunday", "Monday"],
      other: { region: "eu" },
    });
    expect(shown.series.query_latency_99).toEqual([
      { at: "2025-10-19T18:33:05.244068975Z", value: 4.5 },
      { at: "2025-10-19T17:34:00.000000000Z", value: 20 },
    ]);
    expect(shown.problems).toHaveLength(3);
  });
});
