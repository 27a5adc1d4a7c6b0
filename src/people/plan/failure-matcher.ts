import type { FailureBook } from "../../job/contracts/failures.ts";
import { otherFailuresId, othersOfAllId, type FailureKind } from "../../job/message/failure-kind.ts";

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
