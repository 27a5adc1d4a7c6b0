import { describe, expect, it } from "vitest";
import {
  toStatisticsJson,
  toStatisticsText,
  type StatisticsView,
} from "../../../../../src/people/cli/index-stats/command.ts";
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

const shownOf = (one: StatisticsView) => toStatisticsText(80, [one]);

describe("index stats on a terminal", () => {
  const text = shownOf(view);

  it("says which index, which period and when, and of a series the newest, lowest and highest value", () => {
    expect(text).toMatch(/^index +catalog\nid +3f1c-catalog\nperiod +1h\nread +2026-01-02 03:04:05 UTC/);
    expect(text).toMatch(/^pending_index_count +12$/m);
    expect(text).toMatch(/^ {2}query_latency_99 +4.5 +4.5 +20 +2025-10-19 18:33$/m);
    expect(text).toMatch(/^ {2}daily_query_requests +- +- +- +-$/m);
    expect(text).toMatch(/^days +Sunday, Monday$/m);
  });

  it("names what it could not use, once per field, and what it does not know", () => {
    const words = text.replaceAll(/\s+/g, " ");
    expect(words).toMatch(/storage_usage .*got the text "much"/);
    expect(words.match(/data_size\[\d\]\S*/g)).toHaveLength(1);
    expect(words).toMatch(/not known to redriver region /);
  });
});

it("index stats as JSON carries every point with all nine digits, and what was left over", () => {
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
