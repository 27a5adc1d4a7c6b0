import { describe, expect, it } from "vitest";
import { parseMetrics } from "../../../demo/scraped-metrics.ts";

describe("a Prometheus text", () => {
  const metrics = parseMetrics(
    [
      "# HELP some_total Words.",
      'some_total{drain="a",state="x, \\"y\\" }"} 3',
      'some_total{drain="b",state="z"} 4',
      "plain 1.5e3",
      "",
    ].join("\n"),
  );

  it("is summed over the series that carry the labels", () => {
    expect(metrics.sum("some_total")).toBe(7);
    expect(metrics.sum("some_total", { drain: "b" })).toBe(4);
    expect(metrics.sum("some_total", { state: 'x, \\"y\\" }' })).toBe(3);
    expect(metrics.sum("plain")).toBe(1_500);
  });

  it("has no sum where there is no series: absent is not 0", () => {
    expect(metrics.sum("some_total", { drain: "c" })).toBeNull();
    expect(metrics.sum("some")).toBeNull();
  });
});
