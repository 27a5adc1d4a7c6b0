import type { QueueFacts, SharedRecords } from "../../job/contracts/queue-facts.ts";
import { unseenOf } from "./destinations.ts";

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
  for (const { drain, facts, mode } of drains) {
    for (const { again } of facts?.failures ?? []) {
      waiting += again?.waiting ?? 0;
      parked += again?.parked ?? 0;
      if (mode === "plan") parkedByPlans += again?.parked ?? 0;
    }
    for (const { again } of unseenOf(facts, census?.selected?.[drain] ?? {})) waiting += again;
  }
  return { waiting, parked, parkedByPlans };
}
