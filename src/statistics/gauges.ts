import type {
  IndexGauge,
  IndexReading,
  IndexSummary,
  ScalarField,
  SeriesField,
} from "../ports/statistics.ts";
import { scalarFields, seriesFields } from "../ports/statistics.ts";
import { toUnixSeconds } from "./timestamp.ts";

/**
 * Metric names keep the service's words. `_count` goes, because Prometheus keeps that ending for histograms.
 * Units are named if the interface names them; for the series it does not.
 */
const scalarGauges: Readonly<Record<ScalarField, { readonly name: string; readonly help: string }>> = {
  pending_index_count: {
    name: "redriver_index_pending_index_operations",
    help: "Pending index operations (pending_index_count).",
  },
  current_vector_count: {
    name: "redriver_index_current_vectors",
    help: "Current number of vectors (current_vector_count).",
  },
  daily_query_count: {
    name: "redriver_index_daily_queries",
    help: "Queries executed today (daily_query_count).",
  },
  daily_update_count: {
    name: "redriver_index_daily_updates",
    help: "Updates executed today (daily_update_count).",
  },
  monthly_query_count: {
    name: "redriver_index_monthly_queries",
    help: "Queries in the current month (monthly_query_count).",
  },
  monthly_update_count: {
    name: "redriver_index_monthly_updates",
    help: "Updates in the current month (monthly_update_count).",
  },
  monthly_bandwidth_usage: {
    name: "redriver_index_monthly_bandwidth_usage_bytes",
    help: "Bandwidth used in the current month (monthly_bandwidth_usage).",
  },
  storage_usage: {
    name: "redriver_index_storage_usage_bytes",
    help: "Current storage used (storage_usage).",
  },
  monthly_cost: {
    name: "redriver_index_monthly_cost",
    help: "Cost in the current month, in the currency of the account (monthly_cost).",
  },
  daily_rerank_count: {
    name: "redriver_index_daily_reranks",
    help: "Rerank operations today (daily_rerank_count).",
  },
  monthly_rerank_count: {
    name: "redriver_index_monthly_reranks",
    help: "Rerank operations in the current month (monthly_rerank_count).",
  },
};

const unusableFieldsGauge = {
  name: "redriver_index_unusable_fields",
  help: "Fields of the last statistics answer that were there and could not be used.",
};

const readTimestampGauge = {
  name: "redriver_index_read_timestamp_seconds",
  help: "When the statistics were last read.",
};

/**
 * A gauge per scalar; per series its newest point and that point's time. Absent values are left out, never 0.
 */
export function toGauges(index: string, summary: IndexSummary): readonly IndexGauge[] {
  const scalars = scalarFields.flatMap((field) => {
    const value = summary.scalars[field];
    return value === undefined ? [] : [{ ...scalarGauges[field], index, value }];
  });
  const series = seriesFields.flatMap((field) => {
    const point = summary.newest[field];
    if (point === undefined) return [];
    return [
      { ...seriesGauge(field), index, value: point.value },
      { ...seriesTimestampGauge(field), index, value: toUnixSeconds(point.at) },
    ];
  });
  return [...scalars, ...series, { ...unusableFieldsGauge, index, value: summary.unusableFields }];
}

export function toReadingGauges(reading: IndexReading): readonly IndexGauge[] {
  return [
    ...toGauges(reading.index, reading.summary),
    { ...readTimestampGauge, index: reading.index, value: reading.readAt / 1000 },
  ];
}

function seriesGauge(field: SeriesField): { readonly name: string; readonly help: string } {
  return {
    name: field === "vector_count" ? "redriver_index_vectors" : `redriver_index_${field}`,
    help: `Newest point of the series ${field}, in the unit the service uses.`,
  };
}

function seriesTimestampGauge(field: SeriesField): { readonly name: string; readonly help: string } {
  return {
    name: `${seriesGauge(field).name}_timestamp_seconds`,
    help: `When the newest point of the series ${field} was measured, by the service.`,
  };
}
