import {
  countedOnce,
  toSurplus,
  type QueueFacts,
  type SharedRecords,
} from "../../job/contracts/queue-facts.ts";
import { unseenOf } from "./destinations.ts";

type Standing = Pick<QueueFacts["drains"][number], "drain" | "facts" | "selectsEverything" | "mayShare">;

/** What a sum over the drains of a source counts too often. Pure. */
export function toShared(
  { census }: Pick<QueueFacts["sources"][number], "census">,
  drains: readonly Standing[],
): SharedRecords | null {
  const by = census?.shared?.by ?? [];
  if (by.length === 0 && (census?.shared !== undefined || !drains.some(({ mayShare }) => mayShare)))
    return null;
  const surplusOf = toSurplus(census, drains);
  const standing = drains.map(({ facts }) => new Map((facts?.failures ?? []).map((one) => [one.id, one])));
  const unseen = drains.map(({ drain, facts }) => new Map(unseenOf(facts, census?.selected?.[drain] ?? {})));
  let [waiting, parked] = [0, 0];
  for (const id of new Set([...standing, ...unseen].flatMap((of) => [...of.keys()]))) {
    const count = surplusOf(id);
    const own = standing.map((of, index) => {
      const { waiting: listed = 0, parked: aside = 0 } = of.get(id) ?? {};
      return { waiting: listed + (unseen[index]?.get(id) ?? 0), parked: aside };
    });
    const often = (name: "waiting" | "parked", most: number): number => {
      const counts = own.map((one) => one[name]);
      return counts.reduce((sum, one) => sum + one, 0) - countedOnce(counts, most);
    };
    const waitingOften = often("waiting", count);
    waiting += waitingOften;
    parked += often("parked", count - waitingOften);
  }
  return { by, at: census?.at ?? null, waiting, parked };
}
