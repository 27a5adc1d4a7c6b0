import type { FailureBook, FailureCounts } from "../../ports/failures.ts";
import type { DrainName } from "../../ports/ids.ts";
import { otherFailuresId } from "./failure-kind.ts";
import type { FailureTally } from "./count-failures.ts";

/** A kind that goes on is recorded again this often, so that it is not taken for forgotten. */
const recordedForMs = 3_600_000;
/** Twice the kinds of a source, and what was counted as others. */
const maxRemembered = 2_000;

export type RecordFailures = ReturnType<typeof createRecordFailures>;

/**
 * Records the kinds of a tally, as far as this process has not done so lately, and answers its counts by
 * recorded id. `losses`: how often Redis has lost what it had, as far as this process knows. Throws
 * `redis-unavailable`.
 */
export function createRecordFailures(book: FailureBook, monotonic: () => number, losses: () => number) {
  const recorded = new Map<string, { readonly id: string; readonly at: number }>();
  let lossesBefore = losses();
  return async (drain: DrainName, tally: FailureTally): Promise<FailureCounts> => {
    const now = monotonic();
    if (recorded.size > maxRemembered || losses() !== lossesBefore) recorded.clear();
    lossesBefore = losses();
    const isNew = (id: string): boolean => now - (recorded.get(id)?.at ?? -Infinity) >= recordedForMs;
    const met = tally.kinds().filter(({ kind }) => isNew(kind.id));
    if (met.length > 0) {
      const kinds = met.map(({ kind, sample }) => ({
        ...kind,
        sample,
        othersId: otherFailuresId(kind.origin),
      }));
      for (const [own, id] of await book.meet(drain, kinds)) recorded.set(own, { id, at: now });
    }
    return tally.counts((id) => recorded.get(id)?.id ?? id);
  };
}
