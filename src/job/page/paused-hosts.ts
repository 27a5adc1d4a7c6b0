import { namesOfDestination, toFailureName } from "../message/destination-names.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isReconciling, type Candidate } from "./records.ts";
import { held, type PublishResult } from "./results.ts";

/** All that a person may pause of what a record belongs to: its destination, and its kind of failure. */
export function pausableNamesOf(
  { failure }: Pick<Candidate, "failure">,
  target: Candidate["target"],
): readonly string[] {
  return [...namesOfDestination(target), toFailureName(failure.id)];
}

/**
 * Holds candidates of destinations and kinds of failure that a person has paused, before they take grants of lanes and capacity.
 * The ledger's begin asks again (begin-in-ledger.ts): what is paused a moment later is not begun either.
 * Candidates that reconcile an earlier POST go on: held past their horizon, they could only be published
 * again as doubles. Throws `redis-unavailable`.
 */
export async function holdPausedHosts(
  { config, source }: DrainRuntime,
  candidates: readonly Candidate[],
): Promise<{ readonly free: readonly Candidate[]; readonly held: readonly PublishResult[] }> {
  const pauses = candidates.length === 0 ? [] : await source.hostPauses(config.name);
  if (pauses.length === 0) return { free: candidates, held: [] };
  const paused = new Map(pauses.map((pause) => [pause.host, pause]));
  const free: Candidate[] = [];
  const waiting: PublishResult[] = [];
  for (const one of candidates) {
    const name = isReconciling(one)
      ? undefined
      : pausableNamesOf(one, one.target).find((known) => paused.has(known));
    if (name === undefined) free.push(one);
    else waiting.push(held(one, "host-paused", paused.get(name)?.until, name));
  }
  return { free, held: waiting };
}
