import { mapEach } from "../../../group-items-by-key.ts";
import type { Core, DrainRuntime } from "../../../job/door.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";

/** Of every kind that these drains of one source have met, by its id. One round trip for each drain. */
export async function readArrivals(
  drains: readonly DrainRuntime[],
): Promise<ReadonlyMap<string, HourlyArrivals>> {
  const all = await Promise.all(drains.map(({ source, config }) => source.passes.arrivals(config.name)));
  const sums = new Map<string, HourlyArrivals>();
  for (const [id, hours] of all.flatMap((kinds) => [...kinds])) {
    const sum: Record<string, number> = { ...sums.get(id) };
    for (const [hour, count] of Object.entries(hours)) sum[hour] = (sum[hour] ?? 0) + count;
    sums.set(id, sum);
  }
  return sums;
}

export function readAllArrivals({ sources, drains }: Pick<Core, "sources" | "drains">) {
  return mapEach(sources, ({ runtime }) =>
    readArrivals([...drains.values()].filter(({ source }) => source.config.id === runtime.config.id)),
  );
}
