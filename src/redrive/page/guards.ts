import type { GuardStanding } from "../../ports/guards.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isReconciling } from "./capacity-request.ts";
import { held, type Candidate, type PublishResult } from "./records.ts";

/**
 * Holds candidates while a guard of the drain is closed. Candidates that reconcile an earlier POST go on: held past their
 * horizon, they could only be published again as doubles. Guards are read even without candidates, so that an opening is seen.
 * Throws `redis-unavailable`.
 */
export async function holdByGuards(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
): Promise<{ readonly free: readonly Candidate[]; readonly held: readonly PublishResult[] }> {
  if (drain.config.guards.length === 0) return { free: candidates, held: [] };
  const standings = await drain.source.guards.standings(drain.config);
  const closed = standings.find(({ effect }) => effect === "closed");
  if (closed === undefined) return { free: candidates, held: [] };
  const why = toText(closed);
  return {
    free: candidates.filter(isReconciling),
    held: candidates
      .filter((one) => !isReconciling(one))
      .map((candidate) => held(candidate, "guard", undefined, why)),
  };
}

function toText({ index, field, value }: GuardStanding): string {
  return value === null
    ? `index ${index}: no fresh reading of ${field}`
    : `index ${index}: ${field} is ${value}`;
}
