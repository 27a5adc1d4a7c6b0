import { Gauge, type Registry } from "prom-client";

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

type GaugesOf<Definitions extends Readonly<Record<string, MetricDefinition>>> = {
  readonly [Name in keyof Definitions]: Gauge<Definitions[Name]["labels"][number]>;
};

export function createGauges<const Definitions extends Readonly<Record<string, MetricDefinition>>>(
  registry: Registry,
  definitions: Definitions,
): GaugesOf<Definitions> {
  const made = Object.entries(definitions).map(([key, { name, help, labels }]) => [
    key,
    new Gauge({ name, help, labelNames: labels, registers: [registry] }),
  ]);
  return Object.fromEntries(made) as GaugesOf<Definitions>;
}
