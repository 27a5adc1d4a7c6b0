import {
  scalarFields,
  seriesFields,
  type IndexGauge,
  type IndexReading,
  type ScalarField,
} from "../ports/index-statistics.ts";
import { toUnixSeconds } from "./timestamp.ts";

/**
 * Name and help. Names keep the service's words. `_count` goes, because Prometheus keeps that ending for
 * histograms. Units are named if the interface names them; for the series it does not.
 */
const scalarGauges: Readonly<Record<ScalarField, readonly [name: string, help: string]>> = {
  pending_index_count: ["redriver_index_pending_index_operations", "Pending index operations"],
  current_vector_count: ["redriver_index_current_vectors", "Current number of vectors"],
  daily_query_count: ["redriver_index_daily_queries", "Queries executed today"],
  daily_update_count: ["redriver_index_daily_updates", "Updates executed today"],
  monthly_query_count: ["redriver_index_monthly_queries", "Queries in the current month"],
  monthly_update_count: ["redriver_index_monthly_updates", "Updates in the current month"],
  monthly_bandwidth_usage: [
    "redriver_index_monthly_bandwidth_usage_bytes",
    "Bandwidth used in the current month",
  ],
  storage_usage: ["redriver_index_storage_usage_bytes", "Current storage used"],
  monthly_cost: ["redriver_index_monthly_cost", "Cost in the current month, in the currency of the account"],
  daily_rerank_count: ["redriver_index_daily_reranks", "Rerank operations today"],
  monthly_rerank_count: ["redriver_index_monthly_reranks", "Rerank operations in the current month"],
};

/** A gauge per scalar; per series its newest point and that point's time. Absent values are left out. */
export function toGauges({ index, summary, readAt }: IndexReading): readonly IndexGauge[] {
  const scalars = scalarFields.flatMap((field) => {
    const value = summary.scalars[field];
    const [name, help] = scalarGauges[field];
    return value === undefined ? [] : [{ name, help: `${help} (${field}).`, index, value }];
  });
  const series = seriesFields.flatMap((field) => {
    const point = summary.newest[field];
    if (point === undefined) return [];
    const name = field === "vector_count" ? "redriver_index_vectors" : `redriver_index_${field}`;
    const help = `Newest point of the series ${field}, in the unit the service uses.`;
    const timeHelp = `When the newest point of the series ${field} was measured, by the service.`;
    const measuredAt = toUnixSeconds(point.at);
    return [
      { name, help, index, value: point.value },
      { name: `${name}_timestamp_seconds`, help: timeHelp, index, value: measuredAt },
    ];
  });
  return [
    ...scalars,
    ...series,
    {
      name: "redriver_index_unusable_fields",
      help: "Fields of the last statistics answer that were there and could not be used.",
      index,
      value: summary.unusableFields,
    },
    {
      name: "redriver_index_read_timestamp_seconds",
      help: "When the statistics were last read.",
      index,
      value: readAt / 1000,
    },
  ];
}
