import type { Depth, QueueFacts } from "../../job/contracts/queue-facts.ts";

type SourceCounts = Pick<QueueFacts["sources"][number], "summary" | "census">;
type DrainCounts = Pick<QueueFacts["drains"][number], "facts" | "destinations" | "stillCounting"> & {
  readonly selectsEverything: boolean;
};

/**
 * The records of a source: what its drains have counted, or what the census counted less deletes since, if
 * that is more. Drains may select the same records. A census from before the last full passes is not asked.
 * Until a census, or a full pass of a drain that selects everything, it is what was listed so far. Null:
 * nothing was counted yet. Pure.
 */
export function toDepth({ summary, census }: SourceCounts, drains: readonly DrainCounts[]): Depth | null {
  const fullAt = drains.map(({ facts }) => facts?.lastFullAt ?? null);
  const isCounted = drains.length > 0 && drains.every(({ facts }) => facts !== null && facts.seen === null);
  const oldestFullAt = isCounted ? Math.min(...fullAt.map((at) => at ?? 0)) : 0;
  if (census === null && drains.every(({ facts }) => facts === null)) return null;
  let count = (summary?.pendingDelete ?? 0) + (census?.unselected ?? 0);
  const { sum, most } = addUp(drains);
  const overlap = overlapOf(census, drains.length);
  count += Math.max(most, sum - overlap);
  if (census !== null && census.at > oldestFullAt) {
    const deleted = (summary?.gone ?? 0) - (census.goneBefore ?? summary?.gone ?? 0);
    count = Math.max(count, census.depth - Math.max(0, deleted));
  }
  const stillCounting = census === null && !drains.some((one) => one.selectsEverything && !one.stillCounting);
  const exact =
    !stillCounting && isCounted && overlap === 0 && drains.every(({ facts }) => facts?.exact === true);
  return { count, exact, stillCounting };
}

/** `most`: as if drains with one destination had the same records of it. */
function addUp(drains: readonly DrainCounts[]): { readonly sum: number; readonly most: number } {
  let sum = 0;
  const mostOf = new Map<string, number>();
  for (const { destinations } of drains) {
    for (const { origin, waiting, parked } of destinations) {
      sum += waiting + parked;
      mostOf.set(origin, Math.max(mostOf.get(origin) ?? 0, waiting + parked));
    }
  }
  return { sum, most: [...mostOf.values()].reduce((all, one) => all + one, 0) };
}

/** How many records more than one drain has counted. A pass is a census only if its drain selects everything. */
function overlapOf(census: SourceCounts["census"], drains: number): number {
  if (census === null || drains < 2) return 0;
  if (census.counted === "pass") return Infinity;
  const selected = Object.values(census.selected ?? {}).flatMap((ofDrain) => Object.values(ofDrain));
  const sum = selected.reduce((all, one) => all + one, 0);
  return Math.max(0, sum - (census.depth - census.unselected));
}
