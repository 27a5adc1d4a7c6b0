import { indexMetrics, type IndexMetric } from "../../src/job/statistics/index-gauges.ts";
import { queueMetrics } from "../../src/telemetry/queue-metrics.ts";
import type { MetricDefinition } from "../../src/telemetry/metric-definition.ts";
import { processMetrics } from "../../src/telemetry/metrics.ts";

export const ownMetrics: readonly MetricDefinition[] = [...queueMetrics, ...processMetrics, ...indexMetrics];

/** docs/metrics.md, whole. */
export function toMetricsPage(): string {
  return `# Metrics

\`redriver run\` serves these on \`/metrics\`, beside the \`process_\` and \`nodejs_\` metrics of the client library. \`npm run docs:metrics\` writes this page
from the code. The alerts on them are in \`deploy/components/monitoring\`, with a [runbook](runbooks.md) each. The Grafana dashboards in
\`deploy/components/dashboards\` show them with the alerts' expressions and limits.

What is not known has no series: absent is not 0. Counters stand at 0 from the start for every drain, source and index of the document. Labels have values
from closed sets or from the document, and each rule is a series. Only these do not: \`origin\` is limited to 20 lanes and to 20 destinations of a source,
\`failure\` to 40 failures, and \`answer\` is the signature of a failure's answer, without what varies or is private. So 50 drains on one source have fewer
than 2,500 series, and \`test/unit/telemetry/series-count.test.ts\` counts them. Those of the client library are fewer than 100 more.

## The queue

Redis knows these, and each scrape reads them. They are equal in every replica, so take the \`max\` of replicas and never the sum.

- Numbers of records and the depth are as of the last pages that were listed.
- \`redriver_drain_counted\` is 0 until the drain's first full pass, or the first census, ends.
- From a \`redriver_redis_memory_ratio\` of 0.9 on, nothing new is begun.

${toTable(queueMetrics)}
## One replica

Each replica counts what it has done since it started, so take the \`sum\` of rates: \`sum by (drain) (rate(redriver_settled_total[5m]))\`.

${toTable(processMetrics)}
## Search indexes

The last reading of an index, equal in every replica. It is absent if there was none for three intervals of its schedule. Numbers keep the service's units.
\`redriver index stats\` shows the numbers without Prometheus. Of each series it draws the course, and has the newest, lowest and highest point and the age of
the newest. \`--watch\` reads them again every 2 s. Bars are ASCII if the locale is not UTF-8, or if \`TERM\` is \`dumb\`.

${toTable(indexMetrics)}
## Fields of the search index statistics

This table has the metric of each field of the service's answer. Of a series it shows the newest point. Prometheus keeps the points before it, as often as
the index is read. \`redriver index stats --json\` has all points of the answer.

| field | metric |
|---|---|
${indexMetrics.map(toFieldRow).join("")}`;
}

function toTable(metrics: readonly MetricDefinition[]): string {
  const rows = metrics.map(({ name, type, labels, question, help }) => {
    const shown = labels.length === 0 ? "none" : labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} | ${shown} | ${question} | ${help} |\n`;
  });
  return `| metric | type | labels | question | value |\n|---|---|---|---|---|\n${rows.join("")}`;
}

function toFieldRow({ field, name, labels }: IndexMetric): string {
  if (field === null) return "";
  const own = labels.filter((label) => label !== "index").map((label) => `, by \`${label}\``);
  return `| \`${field}\` | \`${name}\`${own.join("")} |\n`;
}
