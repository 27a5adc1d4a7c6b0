import type { Depth, QueueFacts } from "../../ports/queue-facts.ts";

type SourceCounts = Pick<QueueFacts["sources"][number], "summary" | "census">;
type DrainCounts = Pick<QueueFacts["drains"][number], "facts" | "destinations">;

/**
 * The records of a source: what its drains have counted, or what the census counted less deletes since, if that
 * is more. Pure. A census from before the last full passes is not asked. Null: nothing was counted yet.
 */
export function toDepth({ summary, census }: SourceCounts, drains: readonly DrainCounts[]): Depth | null {
  const fullAt = drains.map(({ facts }) => facts?.lastFullAt ?? null);
  const isCounted = drains.length > 0 && drains.every(({ facts }) => facts !== null && facts.seen === null);
  const oldestFullAt = isCounted ? Math.min(...fullAt.map((at) => at ?? 0)) : 0;
  if (census === null && drains.every(({ facts }) => facts === null)) return null;
  let count = (summary?.pendingDelete ?? 0) + (census?.unselected ?? 0);
  for (const { destinations } of drains) {
    for (const { waiting, parked } of destinations) count += waiting + parked;
  }
  if (census !== null && census.at > oldestFullAt) {
    const deleted = (summary?.gone ?? 0) - (census.goneBefore ?? summary?.gone ?? 0);
    count = Math.max(count, census.depth - Math.max(0, deleted));
  }
  const exact = isCounted && drains.every(({ facts }) => facts?.exact === true);
  return { count, exact };
}
