import type { QueueFacts, SharedRecords } from "../../job/contracts/queue-facts.ts";
import { countsByKind } from "./failure-views.ts";
import { isListingLate, notListedYet } from "./totals.ts";

type Standing = Pick<QueueFacts["drains"][number], "drain" | "facts" | "mayShare" | "stillCounting"> & {
  readonly mode: "plan" | "live";
};

/** What a sum over the drains of a source counts too often. Pure. */
export function toShared(
  source: Pick<QueueFacts["sources"][number], "census">,
  drains: readonly Standing[],
): SharedRecords | null {
  if (!drains.some(({ mayShare }) => mayShare)) return null;
  const isLate = isListingLate(drains);
  const planning = new Set(drains.flatMap(({ drain, mode }) => (mode === "plan" ? [drain] : [])));
  let [waiting, parked, parkedByPlans] = [0, 0, 0];
  for (const own of countsByKind(source, drains).values()) {
    for (const { drain, again } of own) {
      if (again === undefined) continue;
      waiting += again.waiting;
      parked += again.parked;
      if (planning.has(drain)) parkedByPlans += again.parked;
    }
    if (!isLate) continue;
    const late = notListedYet(own);
    waiting -= late.waiting;
    parked -= late.parked;
  }
  return { waiting, parked, parkedByPlans };
}
