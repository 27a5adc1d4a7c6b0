import { Gauge, type Registry } from "prom-client";

export function gaugesOf(registry: Registry) {
  return <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
}
