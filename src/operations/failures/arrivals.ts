import type { Core } from "../../compose/build-core.ts";
import type { HourlyArrivals } from "../../ports/failures.ts";
import type { SourceId } from "../../ports/ids.ts";
import type { DrainRuntime } from "../../redrive/runtime.ts";

/** Of every kind that these drains of one source have met, by its id. One round trip for each drain. */
export async function readArrivals(
  drains: readonly DrainRuntime[],
): Promise<ReadonlyMap<string, HourlyArrivals>> {
  const sums = new Map<string, Record<string, number>>();
  const all = await Promise.all(drains.map(({ source, config }) => source.passes.arrivals(config.name)));
  for (const kinds of all) {
    for (const [id, hours] of kinds) {
      const sum = sums.get(id) ?? {};
      sums.set(id, sum);
      for (const [hour, count] of Object.entries(hours)) sum[hour] = (sum[hour] ?? 0) + count;
    }
  }
  return sums;
}

/** Of all sources. */
export async function readAllArrivals({
  sources,
  drains,
}: Pick<Core, "sources" | "drains">): Promise<ReadonlyMap<SourceId, ReadonlyMap<string, HourlyArrivals>>> {
  return new Map(
    await Promise.all(
      [...sources.keys()].map(
        async (id) =>
          [
            id,
            await readArrivals([...drains.values()].filter(({ source }) => source.config.id === id)),
          ] as const,
      ),
    ),
  );
}
