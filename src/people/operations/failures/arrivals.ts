import type { Core, DrainRuntime } from "../../../job/door.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";

/** Of every kind that these drains of one source have met, by its id. One round trip for each drain. */
export async function readArrivals(
  drains: readonly DrainRuntime[],
): Promise<ReadonlyMap<string, HourlyArrivals>> {
  const all = await Promise.all(drains.map(({ source, config }) => source.passes.arrivals(config.name)));
  const sums = new Map<string, HourlyArrivals>();
  for (const [id, hours] of all.flatMap((kinds) => [...kinds])) {
    const known = sums.get(id);
    sums.set(id, known === undefined ? hours : addHours(known, hours));
  }
  return sums;
}

function addHours(one: HourlyArrivals, other: HourlyArrivals): HourlyArrivals {
  const sum: Record<string, number> = { ...one };
  for (const [hour, count] of Object.entries(other)) sum[hour] = (sum[hour] ?? 0) + count;
  return sum;
}

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
