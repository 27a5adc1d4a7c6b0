import type { QueueFacts, SharedRecords } from "../../job/contracts/queue-facts.ts";
import { unseenOf } from "./destinations.ts";
import { isListingLate, notListedYet, type InDrain } from "./totals.ts";

type Standing = Pick<QueueFacts["drains"][number], "drain" | "facts" | "mayShare"> & {
  readonly mode: "plan" | "live";
};

/** What a sum over the drains of a source counts too often. Pure. */
export function toShared(
  { census }: Pick<QueueFacts["sources"][number], "census">,
  drains: readonly Standing[],
): SharedRecords | null {
  if (!drains.some(({ mayShare }) => mayShare)) return null;
  let [waiting, parked, parkedByPlans] = [0, 0, 0];
  const all = new Map<string, InDrain[]>();
  for (const { drain, facts, mode } of drains) {
    const listed = new Map(facts?.failures.map((one) => [one.id, one]));
    const unseen = new Map(unseenOf(facts, census?.selected?.[drain] ?? {}).map((one) => [one.id, one]));
    for (const id of new Set([...listed.keys(), ...unseen.keys()])) {
      const { again: ofOthers = none, ...of } = listed.get(id) ?? none;
      const more = unseen.get(id) ?? { unseen: 0, again: 0 };
      const own = { waiting: of.waiting + more.unseen, parked: of.parked };
      const again = { waiting: ofOthers.waiting + more.again, parked: ofOthers.parked };
      all.set(id, [...(all.get(id) ?? []), { own, again }]);
      waiting += again.waiting;
      parked += again.parked;
      if (mode === "plan") parkedByPlans += again.parked;
    }
  }
  for (const late of isListingLate(drains) ? [...all.values()].map(notListedYet) : []) {
    waiting -= late.waiting;
    parked -= late.parked;
  }
  return { waiting, parked, parkedByPlans };
}

const none: InDrain["own"] & { readonly again?: InDrain["own"] } = { waiting: 0, parked: 0 };
