import { graph, ofAlert, query, type Section } from "../panels.ts";

export const service: Section = {
  title: "The message service",
  panels: [
    graph(
      "Requests per second",
      query("sum by (operation) (rate(redriver_service_requests_total[$__rate_interval]))", "{{operation}}"),
    ),
    graph(
      "Errors per second",
      query(
        'sum by (operation, outcome) (rate(redriver_service_requests_total{outcome!~"ok|stopped"}[$__rate_interval])) > 0',
        "{{operation}}: {{outcome}}",
      ),
      { isMostlyEmpty: true },
    ),
    graph(
      "Share of errors within ten minutes",
      ofAlert(
        "RedriverServiceErrors",
        'sum by (namespace, source, operation, outcome) (increase(redriver_service_requests_total{outcome=~"unavailable|timeout|unreadable|not-sent|unknown"}[10m])) / on (namespace, source, operation) group_left sum by (namespace, source, operation) (increase(redriver_service_requests_total[10m]))',
        "{{source}}: {{operation}}, {{outcome}}",
      ),
      { unit: "percentunit" },
    ),
    graph(
      "Answer times, 95th percentile",
      query(
        "histogram_quantile(0.95, sum by (operation, le) (rate(redriver_service_request_duration_seconds_bucket[$__rate_interval])))",
        "{{operation}}",
      ),
      { unit: "s" },
    ),
    graph("Calls in flight", [
      query("sum by (operation) (redriver_service_calls_in_flight)", "{{operation}}"),
      query("sum by (operation) (redriver_service_calls_in_flight_limit)", "{{operation}}: limit"),
    ]),
    graph(
      "Halted sources",
      ofAlert(
        "RedriverSourceHalted",
        "max by (namespace, source) (max_over_time(redriver_source_halted[2m]))",
        "{{source}}",
      ),
    ),
    graph("Callbacks per second, publishes without an answer", [
      query("sum by (outcome) (rate(redriver_callbacks_total[$__rate_interval]))", "callback {{outcome}}"),
      query(
        "sum by (drain) (rate(redriver_unknown_outcomes_total[$__rate_interval]))",
        "{{drain}}: no answer",
      ),
    ]),
  ],
};
