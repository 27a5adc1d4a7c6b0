import { isGoneHere, randomIdentities, replicaName, systemClock } from "../../../system-world.ts";
import type { Core, ListingSignals } from "../../../job/door.ts";
import { createPlanDesk, type PlanDesk } from "../../operations/plans/plan-desk.ts";
import { version } from "../version.ts";

const never = new AbortController().signal;

/** As the replicas have one, for one command. */
export function openDesk(core: Core, stop: Partial<ListingSignals> = {}): PlanDesk {
  const desk = createPlanDesk({
    acquire: () => ({ core, superseded: () => never, release: () => undefined }),
    book: core.plans,
    clock: systemClock,
    identities: randomIdentities,
    replica: replicaName(),
    version,
    maxRecords: Infinity,
    isGone: isGoneHere,
    stop: stop.stopping ?? never,
  });
  stop.signal?.addEventListener("abort", () => void desk.close({ softMs: 0, hardMs: 0 }));
  return desk;
}
