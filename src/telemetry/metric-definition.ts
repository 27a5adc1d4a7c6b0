import { Gauge, type Registry } from "prom-client";

/** A metric of our own. docs/metrics.md is made of these; a scrape shows all but the question. */
export interface MetricDefinition {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  /** What a person asks who needs this metric. */
  readonly question: string;
  readonly labels: readonly string[];
}

export function gauge<const Label extends string = never>(
  name: string,
  help: string,
  question: string,
  labels: readonly Label[] = [],
) {
  return { type: "gauge", name, help, question, labels } as const satisfies MetricDefinition;
}

export function createGauge<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition & { readonly labels: readonly Label[] },
): Gauge<Label> {
  return new Gauge({ name, help, labelNames: labels, registers: [registry] });
}
