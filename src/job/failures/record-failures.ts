import type { FailureBook, FailureCounts } from "../contracts/failures.ts";
import type { DrainName } from "../contracts/ids.ts";
import { byHalves } from "../by-halves.ts";
import { otherFailuresId, unreadableKind } from "../message/failure-kind.ts";
import type { FailureTally, MetKind } from "./count-failures.ts";

/** A kind that goes on is recorded again this often, so that it is not taken for forgotten. */
const recordedForMs = 3_600_000;
/** A sample that stays in the queue is recorded in place of an older one, which may be gone. */
const sampledForMs = 60_000;
/** Twice the kinds of a source, and what was counted as others. */
const maxRemembered = 2_000;

export type RecordFailures = ReturnType<typeof createRecordFailures>;

/** Answers counts by recorded id. `losses`: how often Redis has lost what it had. Throws `redis-unavailable`. */
export function createRecordFailures(book: FailureBook, monotonic: () => number, losses: () => number) {
  const recorded = new Map<
    string,
    { readonly id: string; readonly at: number; readonly sampledAt: number }
  >();
  let lossesBefore = losses();
  return async (drain: DrainName, tally: FailureTally): Promise<FailureCounts> => {
    const now = monotonic();
    if (recorded.size > maxRemembered || losses() !== lossesBefore) recorded.clear();
    lossesBefore = losses();
    const isNew = ({ kind, stays }: MetKind): boolean => {
      const { at = -Infinity, sampledAt = -Infinity } = recorded.get(kind.id) ?? {};
      return now - at >= recordedForMs || (stays === true && now - sampledAt >= sampledForMs);
    };
    const met = tally.kinds().filter(isNew);
    if (met.length > 0) {
      const kinds = met.map(({ kind, sample }) => ({
        ...kind,
        sample,
        othersId: otherFailuresId(kind.origin),
      }));
      const sampled = new Set(met.flatMap(({ kind, stays }) => (stays === true ? [kind.id] : [])));
      const ids = await byHalves(
        kinds,
        async (some) => [...(await book.meet(drain, some))],
        // A kind that cannot be recorded is counted with what cannot be read.
        (one) => Promise.resolve([[one.id, unreadableKind.id] as const]),
      );
      for (const [own, id] of ids.flat()) {
        recorded.set(own, { id, at: now, sampledAt: sampled.has(own) ? now : -Infinity });
      }
    }
    return tally.counts((id) => recorded.get(id)?.id ?? id);
  };
}
