import { Gauge, type Registry } from "prom-client";

/** A metric of our own. docs/metrics.md says of each which question it answers. */
export interface MetricDefinition {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export function gauge<const Label extends string = never>(
  name: string,
  help: string,
  labels: readonly Label[] = [],
) {
  return { type: "gauge", name, help, labels } as const satisfies MetricDefinition;
}

export function createGauge<Label extends string>(
  registry: Registry,
  { name, help, labels }: MetricDefinition & { readonly labels: readonly Label[] },
): Gauge<Label> {
  return new Gauge({ name, help, labelNames: labels, registers: [registry] });
}
