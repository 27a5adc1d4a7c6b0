import type { Histogram, Registry } from "prom-client";
import type { MetricDefinition } from "./metric-definition.ts";

interface Row {
  readonly counts: number[];
  sum: number;
}

/** Of a whole page at once: the library looks labels up for each value, which costs as much as all other counting. */
export function createPageHistogram(
  registry: Registry,
  { name, help, labels: [label = ""] }: MetricDefinition,
  bounds: readonly number[],
) {
  const rows = new Map<string, Row>();
  const rowOf = (of: string): Row => {
    const row = rows.get(of) ?? { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
    rows.set(of, row);
    return row;
  };
  const indexOf = (value: number): number => {
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    return index;
  };
  const toSamples = ([of, { counts, sum }]: readonly [string, Row]) => {
    const labels = { [label]: of };
    let count = 0;
    const buckets = counts.map((own, index) => {
      count += own;
      return {
        labels: { le: bounds[index] ?? "+Inf", ...labels },
        value: count,
        metricName: `${name}_bucket`,
      };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  };
  const metric = {
    name,
    help,
    type: "histogram",
    get: () => ({ name, help, type: "histogram", values: [...rows].flatMap(toSamples) }),
  };
  // The registry asks a metric for its name and for get() alone.
  registry.registerMetric(metric as unknown as Histogram);
  return {
    zero(of: string): void {
      rowOf(of);
    },
    observe(of: string, values: Iterable<number>): void {
      const row = rowOf(of);
      for (const value of values) {
        const index = indexOf(value);
        row.counts[index] = (row.counts[index] ?? 0) + 1;
        row.sum += value;
      }
    },
  };
}
