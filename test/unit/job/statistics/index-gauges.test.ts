import { describe, expect, it } from "vitest";
import {
  scalarFields,
  seriesFields,
  type IndexStatistics,
} from "../../../../src/job/contracts/index-statistics.ts";
import { indexMetrics, toGauges } from "../../../../src/job/statistics/index-gauges.ts";
import { parseStatistics } from "../../../../src/job/statistics/parse-index-statistics.ts";

function statisticsOf(answer: unknown): IndexStatistics {
  const parsed = parseStatistics(answer);
  if (parsed.kind === "unreadable") throw new Error(JSON.stringify(parsed.problems));
  return parsed.statistics;
}

const complete = statisticsOf({
  ...Object.fromEntries(scalarFields.map((field, index) => [field, index + 1])),
  ...Object.fromEntries(
    seriesFields.map((field, index) => [
      field,
      [
        { x: "2025-10-19 18:33:06.500 +0000 UTC", y: index + 100 },
        { x: "2025-10-19 18:33:05 +0000 UTC", y: -1 },
      ],
    ]),
  ),
  days: ["Friday", "Saturday", "Someday"],
});
const newestSeconds = Date.UTC(2025, 9, 19, 18, 33, 6, 500) / 1000;
const gaugesOf = (summary: IndexStatistics) => toGauges({ index: "catalog", readAt: 1_500, summary });
const valuesOf = (summary: IndexStatistics) =>
  new Map(gaugesOf(summary).map(({ name, value }) => [name, value]));

describe("gauges of an index", () => {
  it("show each field of the interface once, and of each series also the time of its newest point", () => {
    const shown = valuesOf(complete);
    // A name twice would be one fewer here.
    expect(shown.size).toBe(11 + 16 * 2 + 1 + 2);
    expect(gaugesOf(complete)).toHaveLength(shown.size + 1);
    expect(indexMetrics.map(({ name }) => name)).toEqual([...shown.keys()]);
    const fields = indexMetrics.flatMap(({ field }) => field ?? []);
    expect(fields.toSorted()).toEqual([...scalarFields, ...seriesFields, "days"].toSorted());
    expect(shown.get("redriver_index_pending_index_operations")).toBe(1);
    expect(shown.get("redriver_index_storage_usage_bytes")).toBe(8);
    expect(shown.get("redriver_index_query_latency_99")).toBe(107);
    expect(shown.get("redriver_index_query_latency_99_timestamp_seconds")).toBe(newestSeconds);
    expect(shown.get("redriver_index_vectors")).toBe(114);
    expect(shown.get("redriver_index_current_vectors")).toBe(2);
    expect(shown.get("redriver_index_unusable_fields")).toBe(0);
  });

  it("show days of the week by their position, and no other text of the service", () => {
    const days = gaugesOf(complete).filter(({ name }) => name === "redriver_index_day");
    expect(days.map(({ labels, value }) => [labels, value])).toEqual([
      [{ index: "catalog", day: "Friday" }, 1],
      [{ index: "catalog", day: "Saturday" }, 2],
    ]);
  });

  it("have no sample for what the answer did not have", () => {
    expect([...valuesOf(statisticsOf({ storage_usage: 0, monthly_cost: "x" }))]).toEqual([
      ["redriver_index_storage_usage_bytes", 0],
      ["redriver_index_unusable_fields", 1],
      ["redriver_index_read_timestamp_seconds", 1.5],
    ]);
  });
});
