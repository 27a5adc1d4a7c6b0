import { graph, ofAlert, query, stat, type DashboardPlan, type Panel, type Query } from "./panels.ts";

/** What every replica reads alike, by index. */
const of = (name: string, what = ""): Query =>
  query(
    `max by (namespace, index) (redriver_index_${name})`,
    what === "" ? "{{index}}" : `{{index}}: ${what}`,
  );

const latency = (title: string, name: string): Panel =>
  graph(title, [of(`${name}_latency_mean`, "mean"), of(`${name}_latency_99`, "99th percentile")]);

export const searchIndexes: DashboardPlan = {
  uid: "redriver-search-indexes",
  title: "redriver: search indexes",
  variables: [
    { name: "namespace", label: "Namespace", metric: "redriver_build_info" },
    { name: "index", label: "Index", metric: "redriver_index_read_timestamp_seconds" },
  ],
  sections: [
    {
      title: "Now",
      panels: [
        stat("Pending operations", of("pending_index_operations")),
        stat("Vectors", of("current_vectors")),
        stat("Storage", of("storage_usage_bytes"), { unit: "bytes" }),
        stat("Bandwidth this month", of("monthly_bandwidth_usage_bytes"), { unit: "bytes" }),
        stat("Cost this month", of("monthly_cost")),
        stat(
          "Read ago",
          query("time() - max by (namespace, index) (redriver_index_read_timestamp_seconds)", "{{index}}"),
          { unit: "s" },
        ),
        stat("Queries today", of("daily_queries")),
        stat("Updates today", of("daily_updates")),
        stat("Reranks today", of("daily_reranks")),
        stat("Queries this month", of("monthly_queries")),
        stat("Updates this month", of("monthly_updates")),
        stat("Reranks this month", of("monthly_reranks")),
      ],
    },
    {
      title: "Behind",
      panels: [
        graph("Pending operations", of("pending_index_operations")),
        graph(
          "Drains held back",
          ofAlert(
            "RedriverGuardClosed",
            "max by (namespace, drain, index) (redriver_guard_closed)",
            "{{drain}} by {{index}}",
          ),
        ),
        graph("Vectors", [of("current_vectors", "now"), of("vectors", "newest point")]),
      ],
    },
    {
      title: "Speed, in the service's units",
      panels: [
        latency("Query latency", "query"),
        latency("Update latency", "update"),
        latency("Embedding latency", "embeds"),
        latency("Rerank latency", "rerank"),
        graph("Query throughput", of("query_throughput")),
        graph("Update throughput", of("update_throughput")),
      ],
    },
    {
      title: "Use, in the service's units",
      panels: [
        graph("Daily query requests", of("daily_query_requests")),
        graph("Daily update requests", of("daily_update_requests")),
        graph("Daily rerank requests", of("daily_rerank_requests")),
        graph("Daily bandwidth", of("daily_bandwidths")),
        graph("Data size", of("data_size")),
        graph("Cost this month", of("monthly_cost")),
      ],
    },
    {
      title: "The readings themselves",
      panels: [
        graph(
          "Age of the newest point of query latency",
          query(
            "time() - max by (namespace, index) (redriver_index_query_latency_mean_timestamp_seconds)",
            "{{index}}",
          ),
          { unit: "s" },
        ),
        graph(
          "Failed readings per minute",
          query(
            '60 * sum by (index) (rate(redriver_statistics_readings_total{outcome="failed"}[$__rate_interval]))',
            "{{index}}",
          ),
        ),
        graph("Fields that cannot be used", of("unusable_fields")),
        graph(
          "Days of the measurement, by position",
          query("max by (namespace, index, day) (redriver_index_day)", "{{index}}: {{day}}"),
        ),
      ],
    },
  ],
};
