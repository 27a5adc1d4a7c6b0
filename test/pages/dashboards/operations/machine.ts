import { graph, ofAlert, query, type Section } from "../panels.ts";

export const machine: Section = {
  title: "Redis and replicas",
  panels: [
    graph(
      "Replicas without Redis",
      ofAlert("RedriverRedisDown", "count by (namespace) (redriver_redis_up == 0)", "{{namespace}}"),
      { isMostlyEmpty: true },
    ),
    graph(
      "Drains that stand still",
      ofAlert(
        "RedriverDrainStandsStill",
        "max by (namespace) (redriver_drains_standing_still)",
        "{{namespace}}",
      ),
    ),
    graph(
      "Redis is fit",
      ofAlert("RedriverRedisUnfit", "max by (namespace) (redriver_redis_fit)", "{{namespace}}"),
    ),
    graph(
      "Memory of Redis",
      ofAlert("RedriverRedisMemory", "max by (namespace) (redriver_redis_memory_ratio)", "{{namespace}}"),
      { unit: "percentunit" },
    ),
    graph("Replicas by version", query("count by (version) (redriver_build_info)", "{{version}}"), {
      isStacked: true,
    }),
    graph("Replicas by document, and those that reject theirs", [
      query("count by (hash) (redriver_config_info)", "{{hash}}"),
      ofAlert(
        "RedriverConfigRejected",
        "count by (namespace) (redriver_config_last_reload_successful == 0)",
        "rejected",
      ),
    ]),
    graph(
      "Replicas that can be scraped",
      ofAlert("RedriverReplicaMissing", 'sum by (namespace) (up{job="redriver"})', "{{namespace}}"),
    ),
    graph(
      "Memory of replicas, of their limit",
      ofAlert(
        "RedriverMemory",
        'process_resident_memory_bytes{job="redriver"} / on (namespace, pod, instance) redriver_memory_limit_bytes',
        "{{pod}}{{instance}}",
      ),
      { unit: "percentunit" },
    ),
    graph(
      "Memory of pages",
      [
        query("sum by (namespace) (redriver_page_memory_bytes)", "{{namespace}}"),
        query("sum by (namespace) (redriver_page_memory_limit_bytes)", "{{namespace}}: limit"),
      ],
      { unit: "bytes" },
    ),
    graph(
      "Memory of replicas",
      query('process_resident_memory_bytes{job="redriver"}', "{{pod}}{{instance}}"),
      { unit: "bytes" },
    ),
    graph(
      "CPU of replicas",
      query('rate(process_cpu_seconds_total{job="redriver"}[$__rate_interval])', "{{pod}}{{instance}}"),
    ),
    graph("Event loop lag", query('nodejs_eventloop_lag_seconds{job="redriver"}', "{{pod}}{{instance}}"), {
      unit: "s",
    }),
    graph("Volume of the archive", query("max by (verdict) (redriver_archive_volume)", "{{verdict}}"), {
      isMostlyEmpty: true,
    }),
  ],
};
