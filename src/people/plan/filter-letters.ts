import { parseUrl } from "../../job/message/destination-url.ts";
import type { PlanFilter } from "../../job/contracts/plans.ts";
import { compileHostGlob } from "../../job/rules/patterns/host-and-path-tests.ts";
import type { DrainRuntime, Letter } from "../../job/door.ts";
import type { FailureBook } from "../../job/contracts/failures.ts";
import { type FailureKind, otherFailuresId, othersOfAllId } from "../../job/message/failure-kind.ts";

/** True for a decided letter that a plan's filter lets through. Throws `redis-unavailable`. */
export async function createFilter(
  { config, discard, source }: DrainRuntime,
  { rules, host, failure }: PlanFilter,
): Promise<(letter: Letter) => boolean> {
  const fitsFailure = failure === undefined ? null : await readFailureMatcher(source, failure);
  const wanted = rules === undefined ? null : new Set(rules);
  const fitsHost = host === undefined ? null : compileHostGlob(host);
  return ({ decision, facts, content, failure }) => {
    if (wanted !== null) {
      // What is discarded is decided by no rule. Meant is what the rule would decide.
      const rule = discard === undefined || facts === null ? decision.rule : config.route(facts).rule;
      if (rule === null || !wanted.has(rule)) return false;
    }
    if (fitsFailure !== null && !fitsFailure(failure)) return false;
    if (fitsHost === null) return true;
    const url = parseUrl(content.url);
    return url !== null && fitsHost(url.host);
  };
}

export type FailureMatcher = (kind: Pick<FailureKind, "id" | "origin">) => boolean;

/**
 * True for the kinds that an id stands for. That of a destination's other failures stands for kinds of that
 * destination which are not recorded. `recorded`: the ids of the source.
 */
export function createFailureMatcher(id: string, recorded: ReadonlySet<string>): FailureMatcher {
  return (kind) => {
    if (kind.id === id) return true;
    if (recorded.has(kind.id)) return false;
    const others = otherFailuresId(kind.origin);
    return others === id || (id === othersOfAllId && !recorded.has(others));
  };
}

/** By what the source has recorded now. Throws `redis-unavailable`. */
export async function readFailureMatcher(
  { failures }: { readonly failures: FailureBook },
  id: string,
): Promise<FailureMatcher> {
  return createFailureMatcher(id, new Set((await failures.all()).map((kind) => kind.id)));
}
