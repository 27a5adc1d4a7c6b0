import type { Depth, QueueFacts, SharedRecords } from "../../job/contracts/queue-facts.ts";
import { sumOf } from "./totals.ts";

type DrainCounts = Pick<QueueFacts["drains"][number], "facts" | "destinations" | "stillCounting"> & {
  readonly selectsEverything: boolean;
};

/**
 * The records of a source: what its drains have counted, or what the census counted less deletes since, if
 * that is more. What several drains list counts once. A census from before the last full passes is not asked.
 * Until a census, or a full pass of a drain that selects everything, it is what was listed so far. Null:
 * nothing was counted yet. Pure.
 */
export function toDepth(
  { summary, census }: Pick<QueueFacts["sources"][number], "summary" | "census">,
  drains: readonly DrainCounts[],
  shared: SharedRecords | null,
): Depth | null {
  const fullAt = drains.map(({ facts }) => facts?.lastFullAt ?? null);
  const isCounted = drains.length > 0 && drains.every(({ facts }) => facts !== null && facts.gone === null);
  const oldestFullAt = isCounted ? Math.min(...fullAt.map((at) => at ?? 0)) : 0;
  if (census === null && drains.every(({ facts }) => facts === null)) return null;
  const isCurrent = census !== null && census.isOutdated !== true;
  const stillCounting = !isCurrent && !drains.some((one) => one.selectsEverything && !one.stillCounting);
  const listed = sumOf(drains, ({ destinations }) => sumOf(destinations, (one) => one.waiting + one.parked));
  const left = listed - (shared?.waiting ?? 0) - (shared?.parked ?? 0);
  const pending = summary?.pendingDelete ?? 0;
  // What was just published may still stand as waiting.
  const sure = stillCounting ? Math.max(left, pending) : left + pending;
  let count = sure + (isCurrent ? census.unselected : 0);
  if (census !== null && census.at > oldestFullAt) {
    const deleted = (summary?.gone ?? 0) - (census.goneBefore ?? summary?.gone ?? 0);
    count = Math.max(count, census.depth - Math.max(0, deleted));
  }
  const exact = !stillCounting && isCounted && drains.every(({ facts }) => facts?.exact === true);
  return { count, exact, stillCounting };
}
