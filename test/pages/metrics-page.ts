import { readFileSync } from "node:fs";
import { Registry } from "prom-client";
import { indexMetrics, type IndexMetric } from "../../src/job/statistics/index-gauges.ts";
import { createQueueGauges } from "../../src/telemetry/drain-and-source-gauges.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { memory } from "../support/metrics.ts";

interface Metric {
  readonly name: string;
  readonly labels: readonly string[];
  readonly type: string;
}

function metricsOf(registry: Registry): readonly Metric[] {
  const all = registry.getMetricsAsArray() as unknown as readonly {
    name: string;
    type: string;
    labelNames: string[];
  }[];
  return all
    .filter(({ name }) => name.startsWith("redriver_"))
    .map(({ name, type, labelNames }) => ({ name, type, labels: labelNames }));
}

const clock = { sleep: () => new Promise<void>(() => undefined), now: () => 0 };
const registry = new Registry();
createQueueGauges(registry, clock);
/** Those that Redis knows, equal in every replica. */
export const queueMetrics = metricsOf(registry);
const replica = createMetrics({
  version: "0",
  clock,
  memory,
  indexGauges: async () => [],
  readFacts: async () => null,
});
const ofQueue = new Set(queueMetrics.map(({ name }) => name));
const processMetrics = metricsOf(replica.registry).filter(({ name }) => !ofQueue.has(name));

export const ownMetrics: readonly Metric[] = [...queueMetrics, ...processMetrics, ...indexMetrics];

/** The page alone has the question of each metric; one that is new gets `?`, and a person writes it there. */
const questions = new Map(
  [...readFileSync("docs/metrics.md", "utf8").matchAll(/^\|.*`(redriver_\w+)`.*\| (.*) \|$/gm)].map(
    ([, name = "", question = ""]) => [name, question],
  ),
);
export const questionOf = (name: string): string => questions.get(name) ?? "?";

/** docs/metrics.md, whole. */
export function toMetricsPage(): string {
  return `# Metrics

\`redriver run\` serves these on \`/metrics\`, with the meaning of each value, beside \`process_\` and \`nodejs_\` metrics. The alerts on them are in \`deploy/components/monitoring\`, with a [runbook](runbooks.md) each,
the Grafana dashboards in \`deploy/components/dashboards\`.

**Without the Prometheus operator**, load what is below \`spec:\` of \`prometheus-rule.yaml\` as a rule file. Scrape the job \`redriver\` with a label \`namespace\`, as \`deploy/local/prometheus\` does.

- What is not known has no series: absent is not 0. Counters end in \`_total\`, and stand at 0 from the start. Others are gauges, or histograms in seconds.
- Labels have values from closed sets or from the document. Only \`origin\` (20 lanes and 20 destinations of a source), \`failure\` (40) and \`answer\` do not. So 50 drains on one source have fewer
  than 2,550 series.

## The queue

Redis knows these. They are equal in every replica, so take the \`max\` of replicas and never the sum.

${toTable(queueMetrics)}
## One replica

Each replica counts what it has done since it started, so take the \`sum\` of rates: \`sum by (drain) (rate(redriver_settled_total[5m]))\`.

${toTable(processMetrics)}
## Search indexes

The last reading of an index, equal in every replica, in the service's units. It is absent if there was none for three intervals. Of a series it shows the newest point.

| field | metric | question |
|---|---|---|
${indexMetrics.map(toFieldRow).join("")}`;
}

function toTable(metrics: readonly Metric[]): string {
  const rows = metrics.map(({ name, labels }) => {
    const shown = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${shown} | ${questionOf(name)} |\n`;
  });
  return `| metric | labels | question |\n|---|---|---|\n${rows.join("")}`;
}

function toFieldRow({ field, name }: IndexMetric): string {
  return `| ${field === null ? "" : `\`${field}\``} | \`${name}\` | ${questionOf(name)} |\n`;
}
