import {
  scalarFields,
  seriesFields,
  type IndexGauge,
  type IndexReading,
  type ScalarField,
  type SeriesField,
} from "../contracts/index-statistics.ts";
import { toUnixSeconds } from "./timestamp.ts";

/** A metric of a search index. `field`: the field of service-interface.md 4.4 that it shows; null: none. */
export interface IndexMetric {
  readonly type: "gauge";
  readonly name: string;
  readonly help: string;
  /** The question that it answers, for docs/metrics.md. */
  readonly question: string;
  readonly labels: readonly ("index" | "day")[];
  readonly field: ScalarField | SeriesField | "days" | null;
}

/**
 * Name, help and question. Names keep the service's words. `_count` goes, because Prometheus keeps that ending
 * for histograms. Units are named if the interface names them; for the series it does not.
 */
const ofScalars: Readonly<Record<ScalarField, readonly [name: string, help: string, question: string]>> = {
  pending_index_count: [
    "redriver_index_pending_index_operations",
    "Pending index operations",
    "How far is the index behind?",
  ],
  current_vector_count: [
    "redriver_index_current_vectors",
    "Current number of vectors",
    "How many vectors does the index hold now?",
  ],
  daily_query_count: [
    "redriver_index_daily_queries",
    "Queries executed today",
    "How many queries were there today?",
  ],
  daily_update_count: [
    "redriver_index_daily_updates",
    "Updates executed today",
    "How many updates were there today?",
  ],
  monthly_query_count: [
    "redriver_index_monthly_queries",
    "Queries in the current month",
    "How many queries were there this month?",
  ],
  monthly_update_count: [
    "redriver_index_monthly_updates",
    "Updates in the current month",
    "How many updates were there this month?",
  ],
  monthly_bandwidth_usage: [
    "redriver_index_monthly_bandwidth_usage_bytes",
    "Bandwidth used in the current month",
    "How much bandwidth was used this month?",
  ],
  storage_usage: [
    "redriver_index_storage_usage_bytes",
    "Current storage used",
    "How much storage does the index use?",
  ],
  monthly_cost: [
    "redriver_index_monthly_cost",
    "Cost in the current month, in the currency of the account",
    "What has the index cost this month?",
  ],
  daily_rerank_count: [
    "redriver_index_daily_reranks",
    "Rerank operations today",
    "How many rerank operations were there today?",
  ],
  monthly_rerank_count: [
    "redriver_index_monthly_reranks",
    "Rerank operations in the current month",
    "How many rerank operations were there this month?",
  ],
};

const questionsOfSeries: Readonly<Record<SeriesField, string>> = {
  daily_update_requests: "How many update requests did the index get lately?",
  daily_query_requests: "How many query requests did the index get lately?",
  daily_bandwidths: "How much bandwidth did the index use lately?",
  daily_rerank_requests: "How many rerank requests did the index get lately?",
  query_throughput: "How fast are queries answered?",
  update_throughput: "How fast are updates taken in?",
  query_latency_mean: "How long does a query take?",
  query_latency_99: "How long do the slowest queries take?",
  update_latency_mean: "How long does an update take?",
  update_latency_99: "How long do the slowest updates take?",
  embeds_latency_mean: "How long does an embedding take?",
  embeds_latency_99: "How long do the slowest embeddings take?",
  rerank_latency_mean: "How long does a rerank operation take?",
  rerank_latency_99: "How long do the slowest rerank operations take?",
  vector_count: "How does the number of vectors change?",
  data_size: "How does the size of the data change?",
};

const gauge = (
  field: IndexMetric["field"],
  name: string,
  help: string,
  question: string,
  ...more: readonly "day"[]
): IndexMetric => ({ type: "gauge", name, help, question, labels: ["index", ...more], field });

const scalarMetrics = scalarFields.map((field) => {
  const [name, help, question] = ofScalars[field];
  return { field, metric: gauge(field, name, `${help} (${field}).`, question) };
});

const seriesMetrics = seriesFields.map((field) => {
  const name = field === "vector_count" ? "redriver_index_vectors" : `redriver_index_${field}`;
  const newest = `Newest point of the series ${field}, in the unit the service uses.`;
  const time = `When the newest point of the series ${field} was measured, by the service.`;
  return {
    field,
    metric: gauge(field, name, newest, questionsOfSeries[field]),
    time: gauge(null, `${name}_timestamp_seconds`, time, `How old is the newest point of ${field}?`),
  };
});

/** The service's names are labels only if they are in this list. */
const dayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const dayMetric = gauge(
  "days",
  "redriver_index_day",
  "Position of a day of the week in the measurement (days), from 1.",
  "Which days does the measurement cover, and in which order?",
  "day",
);
const unusableMetric = gauge(
  null,
  "redriver_index_unusable_fields",
  "Fields of the last statistics answer that were there and could not be used.",
  "Does the service answer what redriver can read?",
);
const readMetric = gauge(
  null,
  "redriver_index_read_timestamp_seconds",
  "When the statistics were last read.",
  "How old are the statistics?",
);

export const indexMetrics: readonly IndexMetric[] = [
  ...scalarMetrics.map(({ metric }) => metric),
  ...seriesMetrics.flatMap(({ metric, time }) => [metric, time]),
  dayMetric,
  unusableMetric,
  readMetric,
];

/** A gauge per scalar; per series its newest point and that point's time. Absent values are left out. */
export function toGauges({ index, summary, readAt }: IndexReading): readonly IndexGauge[] {
  const toGauge = ({ name, help }: IndexMetric, value: number, day?: string): IndexGauge => ({
    name,
    help,
    labels: day === undefined ? { index } : { index, day },
    value,
  });
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
