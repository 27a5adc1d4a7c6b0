import type { GuardStanding } from "../contracts/guards.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isReconciling, type Candidate } from "./records.ts";
import { held, type PublishResult } from "./results.ts";

/**
 * Holds candidates while a guard of the drain is closed. Candidates that reconcile an earlier POST go on:
 * held past their horizon, they could only be published again as doubles. Guards are read even without
 * candidates, so that an opening is seen. Throws `redis-unavailable`.
 */
export async function holdByGuards(
  { config, source }: DrainRuntime,
  candidates: readonly Candidate[],
): Promise<{ readonly free: readonly Candidate[]; readonly held: readonly PublishResult[] }> {
  const standings = config.guards.length === 0 ? [] : await source.guards.standings(config);
  const closed = standings.find(({ effect }) => effect === "closed");
  if (closed === undefined) return { free: candidates, held: [] };
  const why = toText(closed);
  const waiting = candidates.filter((one) => !isReconciling(one));
  return {
    free: candidates.filter(isReconciling),
    held: waiting.map((one) => held(one, "guard", undefined, why)),
  };
}

function toText({ index, field, value }: GuardStanding): string {
  return `index ${index}: ${value === null ? `no fresh reading of ${field}` : `${field} is ${value}`}`;
}
