/** Names of every series that the statistics of a search index tell. */
export const allSeries = [
  "daily_update_requests",
  "daily_query_requests",
  "daily_bandwidths",
  "daily_rerank_requests",
  "query_throughput",
  "update_throughput",
  "query_latency_mean",
  "query_latency_99",
  "update_latency_mean",
  "update_latency_99",
  "embeds_latency_mean",
  "embeds_latency_99",
  "rerank_latency_mean",
  "rerank_latency_99",
  "vector_count",
  "data_size",
];
