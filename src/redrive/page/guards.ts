import type { GuardStanding } from "../../ports/guards.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isReconciling } from "./capacity-request.ts";
import { held } from "./results.ts";
import type { Candidate, PublishResult } from "./records.ts";

/**
 * Holds what would be republished while a guard of the drain is closed. What reconciles an earlier POST goes on: it finishes
 * what was begun, and held beyond its horizon it could only be published again as a double. Also looks when there is nothing
 * to hold, so that an opening is noticed. Throws `redis-unavailable`.
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
