import { describe, expect, it } from "vitest";
import type { IndexStatistics } from "../../../../src/job/contracts/index-statistics.ts";
import { scalarFields, seriesFields } from "../../../../src/job/contracts/index-statistics.ts";
import { parseStatistics } from "../../../../src/job/statistics/parse-index-statistics.ts";

const at = (second: number, fraction = "000") =>
  `2025-10-19 18:33:${String(second).padStart(2, "0")}.${fraction} +0000 UTC`;
const epochMs = (second: number) => Date.UTC(2025, 9, 19, 18, 33, second);

function statisticsOf(answer: unknown): IndexStatistics {
  const parsed = parseStatistics(answer);
  if (parsed.kind === "unreadable") throw new Error(JSON.stringify(parsed.problems));
  return parsed.statistics;
}

describe("an answer of the statistics operation", () => {
  it("is read in every scalar and every series of the interface", () => {
    const answer = Object.fromEntries([
      ...scalarFields.map((field, index) => [field, index]),
      ...seriesFields.map((field, index) => [field, [{ x: at(index), y: index / 2 }]]),
      ["days", ["Sunday", "Monday"]],
    ]);
    const statistics = statisticsOf(answer);
    expect(statistics.problems).toEqual([]);
    expect(statistics.unusableFields).toBe(0);
    expect(statistics.scalars).toEqual(
      Object.fromEntries(scalarFields.map((field, index) => [field, index])),
    );
    expect(statistics.series).toEqual(
      Object.fromEntries(
        seriesFields.map((field, index) => [
          field,
          [{ at: { epochMs: epochMs(index), nanos: 0 }, value: index / 2 }],
        ]),
      ),
    );
    expect(statistics.days).toEqual(["Sunday", "Monday"]);
    expect(scalarFields).toHaveLength(11);
    expect(seriesFields).toHaveLength(16);
  });

  it.each([
    ["absent", {}],
    ["null", { query_throughput: null, days: null }],
    ["empty", { query_throughput: [], days: [] }],
  ])("may have series that are %s", (_, series) => {
    const statistics = statisticsOf({ storage_usage: 7, ...series });
    expect(statistics.problems).toEqual([]);
    expect(statistics.series.query_throughput).toEqual([]);
    expect(statistics.newest).toEqual({});
    expect(statistics.days).toEqual([]);
  });

  it("has its newest point by time, not by position, down to the nanosecond", () => {
    const { newest } = statisticsOf({
      vector_count: [
        { x: at(5), y: 1 },
        { x: at(9, "000000002"), y: 2 },
        { x: at(9, "000000001"), y: 3 },
        { x: at(1), y: 4 },
      ],
    });
    expect(newest.vector_count).toEqual({ at: { epochMs: epochMs(9), nanos: 2 }, value: 2 });
  });

  it("keeps fields that the interface does not name aside, whatever they are called", () => {
    const statistics = statisticsOf(JSON.parse('{"storage_usage":1,"replicas":{"eu":2},"__proto__":3}'));
    expect(Object.entries(statistics.other)).toEqual([
      ["replicas", { eu: 2 }],
      ["__proto__", 3],
    ]);
    expect(statistics.problems).toEqual([]);
  });

  it("names each field of a wrong type and uses the rest", () => {
    const statistics = statisticsOf({
      pending_index_count: "12",
      current_vector_count: 3.5,
      storage_usage: null,
      monthly_cost: 1.25,
      daily_query_count: 4,
      days: ["Monday", 2],
      data_size: { x: 1 },
      query_latency_99: [
        { x: at(1), y: 10 },
        { x: "2025-10-19T18:33:05Z", y: 11 },
        { x: at(2), y: "12" },
        null,
      ],
    });
    expect(statistics.scalars).toEqual({ monthly_cost: 1.25, daily_query_count: 4 });
    expect(statistics.series.query_latency_99).toHaveLength(1);
    expect(statistics.newest.query_latency_99?.value).toBe(10);
    expect(statistics.problems.map(({ field, got }) => [field, got])).toEqual([
      ["pending_index_count", 'the text "12"'],
      ["current_vector_count", "the number 3.5"],
      ["storage_usage", "null"],
      ["query_latency_99[1].x", 'the text "2025-10-19T18:33:05Z"'],
      ["query_latency_99[2].y", 'the text "12"'],
      ["query_latency_99[3]", "null"],
      ["data_size", "an object"],
      ["days", "a list"],
    ]);
    expect(statistics.unusableFields).toBe(6);
  });

  it.each([
    ["a number too large for a double", '{"monthly_cost":1e999}', "monthly_cost"],
    ["more points than anything has", `{"vector_count":[${"0,".repeat(10_000)}0]}`, "vector_count"],
    ["more days than anything has", `{"days":[${'"Monday",'.repeat(31)}"Monday"]}`, "days"],
  ])("with %s has one problem, and its other fields", (_, text, field) => {
    const statistics = statisticsOf({ daily_query_count: 1, ...(JSON.parse(text) as object) });
    expect(statistics.scalars).toEqual({ daily_query_count: 1 });
    expect(statistics.problems).toMatchObject([{ field }]);
  });

  it("has whole characters alone in its days", () => {
    expect(statisticsOf({ storage_usage: 1, days: ["Mon\ud800"] }).days).toEqual(["Mon\ufffd"]);
  });

  it.each([
    ["null", null],
    ["a list", []],
    ["a text", "ok"],
    ["an empty object", {}],
    ["an error", { code: "not_found", message: "no such index" }],
    ["an object in which every documented field is wrong", { storage_usage: "1", days: 3 }],
  ])("that is %s is unreadable", (_, answer) => {
    expect(parseStatistics(answer)).toEqual({
      kind: "unreadable",
      problems: expect.arrayContaining([expect.objectContaining({ expected: expect.any(String) })]),
    });
  });

  it("does not repeat long text in its problems", () => {
    const parsed = parseStatistics({ storage_usage: "s".repeat(500), daily_query_count: 1 });
    expect(JSON.stringify(parsed)).not.toContain("sss");
  });
});
