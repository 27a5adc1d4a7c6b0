import { countedOnce, type QueueFacts, type SharedRecords } from "../../job/contracts/queue-facts.ts";

type Standing = Pick<QueueFacts["drains"][number], "facts">;

/** What a sum over the drains of a source counts too often. Pure. */
export function toShared(
  { census }: Pick<QueueFacts["sources"][number], "census">,
  drains: readonly Standing[],
): SharedRecords | null {
  if (census?.shared === undefined || census.shared.by.length === 0) return null;
  const { by, surplus } = census.shared;
  let [waiting, parked] = [0, 0];
  for (const [id, count] of Object.entries(surplus)) {
    const own = drains.flatMap(({ facts }) => facts?.failures.find((one) => one.id === id) ?? []);
    const often = (name: "waiting" | "parked", most: number): number => {
      const counts = own.map((one) => one[name]);
      return counts.reduce((sum, one) => sum + one, 0) - countedOnce(counts, most);
    };
    const waitingOften = often("waiting", count);
    waiting += waitingOften;
    parked += often("parked", count - waitingOften);
  }
  return { by, at: census.at, waiting, parked };
}
