import { Gauge, type Registry } from "prom-client";
import type { IndexGauge } from "../ports/statistics.ts";

/** Shows exactly the given gauges; only src/statistics knows their names. */
export function createIndexGauges(registry: Registry): (values: readonly IndexGauge[]) => void {
  const gauges = new Map<string, Gauge<"index">>();
  return (values) => {
    for (const gauge of gauges.values()) gauge.reset();
    for (const { name, help, value, index } of values) {
      let gauge = gauges.get(name);
      if (gauge === undefined) {
        gauge = new Gauge({ name, help, labelNames: ["index"], registers: [registry] });
        gauges.set(name, gauge);
      }
      gauge.set({ index }, value);
    }
  };
}
