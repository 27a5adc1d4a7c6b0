import type { FailureKind } from "../../ports/failures.ts";
import { otherFailuresId, othersOfAllId } from "./failure-kind.ts";

/**
 * True for the kinds that an id stands for. That of a destination's other failures stands for kinds of that
 * destination which are not recorded. `recorded`: the ids of the source.
 */
export function createFailureMatcher(
  id: string,
  recorded: ReadonlySet<string>,
): (kind: Pick<FailureKind, "id" | "origin">) => boolean {
  return (kind) => {
    if (kind.id === id) return true;
    if (recorded.has(kind.id)) return false;
    const others = otherFailuresId(kind.origin);
    return others === id || (id === othersOfAllId && !recorded.has(others));
  };
}
