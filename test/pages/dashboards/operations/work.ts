import { graph, ofAlert, query, type Section } from "../panels.ts";

export const work: Section = {
  title: "What is done",
  panels: [
    graph(
      "Published per second",
      query("sum by (drain) (rate(redriver_published_total[$__rate_interval]))", "{{drain}}"),
      { isStacked: true },
    ),
    graph(
      "Published per second by destination",
      query(
        "max by (namespace, source, drain, origin) (rate(redriver_destination_published_total[$__rate_interval]))",
        "{{origin}} in {{drain}}",
      ),
      { isStacked: true },
    ),
    graph(
      "From death to redelivery",
      [
        query(
          "histogram_quantile(0.5, sum by (source, le) (rate(redriver_redelivery_seconds_bucket[$__rate_interval])))",
          "{{source}}: half",
        ),
        query(
          "histogram_quantile(0.95, sum by (source, le) (rate(redriver_redelivery_seconds_bucket[$__rate_interval])))",
          "{{source}}: 95 %",
        ),
      ],
      { unit: "s" },
    ),
    graph(
      "Decisions per minute by rule",
      query(
        "60 * sum by (drain, rule) (rate(redriver_rule_decisions_total[$__rate_interval]))",
        "{{drain}}: {{rule}}",
      ),
      { isStacked: true },
    ),
    graph(
      "Deleted after proof, per second",
      query("sum by (drain) (rate(redriver_settled_total[$__rate_interval]))", "{{drain}}"),
      { isStacked: true },
    ),
    graph(
      "Failed again per second",
      query("sum by (drain) (rate(redriver_come_backs_total[$__rate_interval]))", "{{drain}}"),
    ),
    graph(
      "Decisions per second",
      query("sum by (decision) (rate(redriver_decisions_total[$__rate_interval]))", "{{decision}}"),
      { isStacked: true },
    ),
    graph(
      "Why records are held, per second",
      query(
        'sum by (reason) (rate(redriver_decision_reasons_total{decision="hold"}[$__rate_interval])) > 0',
        "{{reason}}",
      ),
    ),
    graph(
      "Time since the last complete pass",
      ofAlert(
        "RedriverNoPass",
        "time() - max by (namespace, drain) (redriver_pass_last_success_timestamp_seconds)",
        "{{drain}}",
      ),
      { unit: "s" },
    ),
    graph(
      "Time of a pass",
      query(
        "sum by (drain) (rate(redriver_pass_seconds_total[$__rate_interval])) / sum by (drain) (rate(redriver_passes_total[$__rate_interval]))",
        "{{drain}}",
      ),
      { unit: "s" },
    ),
    graph(
      "Passes per minute by outcome",
      query("60 * sum by (outcome) (rate(redriver_passes_total[$__rate_interval]))", "{{outcome}}"),
    ),
    graph("Failures of work per minute", [
      query("60 * sum(rate(redriver_window_failures_total[$__rate_interval]))", "windows"),
      query('60 * sum(rate(redriver_sweeps_total{outcome="failed"}[$__rate_interval]))', "sweeps"),
      query('60 * sum(rate(redriver_censuses_total{outcome="failed"}[$__rate_interval]))', "censuses"),
      query("60 * sum by (kind) (rate(redriver_job_failures_total[$__rate_interval])) > 0", "{{kind}} jobs"),
    ]),
  ],
};
