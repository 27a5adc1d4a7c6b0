import { randomIdentities, replicaName, systemClock } from "../../../system-world.ts";
import type { Core } from "../../../job/door.ts";
import { createPlanDesk, type PlanDesk } from "../../operations/plans/plan-desk.ts";
import { version } from "../version.ts";

const never = new AbortController().signal;

/** As the replicas have one, for one command. */
export function openDesk(core: Core, stop: AbortSignal = never): PlanDesk {
  return createPlanDesk({
    acquire: () => ({ core, superseded: () => never, release: () => undefined }),
    book: core.plans,
    clock: systemClock,
    identities: randomIdentities,
    replica: replicaName(),
    version,
    stop,
  });
}
