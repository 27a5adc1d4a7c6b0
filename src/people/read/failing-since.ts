import type { RecordedFailure } from "../../job/contracts/failures.ts";
import type { DrainFacts } from "../../job/contracts/passes.ts";

/**
 * Since when each destination of a drain fails, Unix ms: the first meeting of a kind of failure that has
 * something waiting or parked there. A kind may have been met weeks ago too, so it counts from the oldest record
 * of the drain at the earliest. Pure.
 */
export function toFailingSince(
  kinds: readonly Pick<RecordedFailure, "id" | "origin" | "firstMetAt">[],
  facts: Pick<DrainFacts, "failures" | "oldestRecordAt"> | null,
): ReadonlyMap<string, number> {
  const kindOf = new Map(kinds.map((kind) => [kind.id, kind]));
  const since = new Map<string, number>();
  for (const { id, waiting, parked } of facts?.failures ?? []) {
    const kind = kindOf.get(id);
    if (kind === undefined || waiting + parked === 0) continue;
    const at = Math.max(kind.firstMetAt, facts?.oldestRecordAt ?? 0);
    since.set(kind.origin, Math.min(since.get(kind.origin) ?? at, at));
  }
  return since;
}
