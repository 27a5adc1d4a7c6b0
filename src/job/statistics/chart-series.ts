import {
  seriesFields,
  type IndexSeries,
  type IndexStatistics,
  compareInstants,
} from "../contracts/index-statistics.ts";

/** Of each series: a chart of 600 pixels shows no more, and 16 series are 60 kB then. */
const maxPoints = 200;

/** Oldest first. Of a longer series evenly spread points, the newest among them. */
export function toChartSeries(series: IndexStatistics["series"]): IndexSeries {
  return Object.fromEntries(
    seriesFields.flatMap((field) => {
      const points = series[field].toSorted((one, other) => compareInstants(one.at, other.at));
      if (points.length === 0) return [];
      const step = Math.ceil(points.length / maxPoints);
      const chosen = points.filter((_, index) => (points.length - 1 - index) % step === 0);
      return [[field, chosen.map(({ at, value }) => [at.epochMs, value] as const)]];
    }),
  );
}
