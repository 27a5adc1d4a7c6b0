import {
  scalarFields,
  seriesFields,
  type IndexGauge,
  type IndexReading,
  type ScalarField,
  type SeriesField,
} from "../contracts/index-statistics.ts";
import { toUnixSeconds } from "./timestamp.ts";

/**
 * Behind `redriver_index_`. Names keep the service's words. `_count` goes, because Prometheus keeps that ending for
 * histograms. Units are named if the interface names them; for the series it does not.
 */
const ofScalars: Readonly<Record<ScalarField, readonly [name: string, help: string]>> = {
  pending_index_count: ["pending_index_operations", "Pending index operations"],
  current_vector_count: ["current_vectors", "Current number of vectors"],
  daily_query_count: ["daily_queries", "Queries executed today"],
  daily_update_count: ["daily_updates", "Updates executed today"],
  monthly_query_count: ["monthly_queries", "Queries in the current month"],
  monthly_update_count: ["monthly_updates", "Updates in the current month"],
  monthly_bandwidth_usage: ["monthly_bandwidth_usage_bytes", "Bandwidth used in the current month"],
  storage_usage: ["storage_usage_bytes", "Current storage used"],
  monthly_cost: ["monthly_cost", "Cost in the current month, in the currency of the account"],
  daily_rerank_count: ["daily_reranks", "Rerank operations today"],
  monthly_rerank_count: ["monthly_reranks", "Rerank operations in the current month"],
};

export type IndexMetric = ReturnType<typeof gauge>;

/** `field`: the field of service-interface.md 4.4 that it shows; null: none. */
function gauge(field: ScalarField | SeriesField | "days" | null, name: string, help: string, day?: "day") {
  const labels: readonly ("index" | "day")[] = day === undefined ? ["index"] : ["index", day];
  return { type: "gauge", name: `redriver_index_${name}`, help: `${help}.`, labels, field } as const;
}

const scalarMetrics = scalarFields.map((field) => {
  const [name, help] = ofScalars[field];
  return { field, metric: gauge(field, name, `${help} (${field})`) };
});

const seriesMetrics = seriesFields.map((field) => {
  const name = field === "vector_count" ? "vectors" : field;
  const newest = `Newest point of the series ${field}, in the unit the service uses`;
  const time = `When the newest point of the series ${field} was measured, by the service`;
  return {
    field,
    metric: gauge(field, name, newest),
    time: gauge(null, `${name}_timestamp_seconds`, time),
  };
});

/** The service's names are labels only if they are in this list. */
const dayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const dayHelp = "Position of a day of the week in the measurement (days), from 1";
const dayMetric = gauge("days", "day", dayHelp, "day");
const unusableHelp = "Fields of the last statistics answer that were there and could not be used";
const unusableMetric = gauge(null, "unusable_fields", unusableHelp);
const readMetric = gauge(null, "read_timestamp_seconds", "When the statistics were last read");

export const indexMetrics: readonly IndexMetric[] = [
  ...scalarMetrics.map(({ metric }) => metric),
  ...seriesMetrics.flatMap(({ metric, time }) => [metric, time]),
  dayMetric,
  unusableMetric,
  readMetric,
];

/** A gauge per scalar; per series its newest point and that point's time. Absent values are left out. */
export function toGauges({ index, summary, readAt }: IndexReading): readonly IndexGauge[] {
  const toGauge = ({ name, help }: IndexMetric, value: number, day?: string): IndexGauge => {
    return { name, help, labels: day === undefined ? { index } : { index, day }, value };
  };
  const scalars = scalarMetrics.flatMap(({ field, metric }) => {
    const value = summary.scalars[field];
    return value === undefined ? [] : [toGauge(metric, value)];
  });
  const series = seriesMetrics.flatMap(({ field, metric, time }) => {
    const point = summary.newest[field];
    return point === undefined ? [] : [toGauge(metric, point.value), toGauge(time, toUnixSeconds(point.at))];
  });
  const days = dayNames.flatMap((day) => {
    const position = summary.days.indexOf(day);
    return position === -1 ? [] : [toGauge(dayMetric, position + 1, day)];
  });
  return [
    ...scalars,
    ...series,
    ...days,
    toGauge(unusableMetric, summary.unusableFields),
    toGauge(readMetric, readAt / 1000),
  ];
}
