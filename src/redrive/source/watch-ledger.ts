import { postHorizonMs, type LedgerLimits } from "../../ports/ledger-limits.ts";
import type { Ledger, LedgerStamp, LedgerSummary } from "../../ports/ledger.ts";

export interface LostWrites {
  readonly expected: string;
  readonly got: string;
}

/**
 * Looks at the stamp of every answer. Another epoch, or a lower sequence number than this process had seen when it asked, means
 * that Redis lost writes that it had acknowledged (flushed, restored, or failed over to a replica that was behind). Answers
 * reach their callers in another order than Redis gave them, so an answer is held only against what was seen before its question.
 * `oldestAt`: the oldest publication that this process knew not to be settled, Redis time. After a refusal within the window it is
 * beyond the horizon: what was published under a later suffix is not healed by its first id, so `afterLedgerLoss` decides at once.
 */
export function watchLedger(
  ledger: Ledger,
  onLostWrites: (lost: LostWrites, oldestAt: number | undefined) => void,
): Ledger {
  let seen: LedgerStamp | null = null;
  let oldestAt: number | undefined;
  /** As of any answer: what the ledger has lost it does not tell any more. */
  let seriesEndedAt = -Infinity;
  /** Questions from before a loss was noticed do not tell of it again. */
  let losses = 0;
  const check = (before: LedgerStamp | null, lossesBefore: number, stamp: LedgerStamp): void => {
    seriesEndedAt = Math.max(seriesEndedAt, stamp.seriesEndedAt ?? -Infinity);
    if (lossesBefore !== losses) return;
    if (before !== null && (stamp.epoch !== before.epoch || stamp.sequence < before.sequence)) {
      losses += 1;
      seen = stamp;
      onLostWrites({ expected: toText(before), got: toText(stamp) }, mayHavePublishedSince(stamp));
      return;
    }
    if (seen === null || stamp.sequence > seen.sequence) seen = stamp;
  };
  const mayHavePublishedSince = ({ at }: LedgerStamp): number | undefined => {
    if (at - seriesEndedAt > ledger.limits.dedupWindowMs) return oldestAt;
    return Math.min(oldestAt ?? Infinity, at - postHorizonMs(ledger.limits) - 1);
  };
  const watched =
    <Args extends unknown[], Answer extends LedgerStamp>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const before = seen;
      const lossesBefore = losses;
      const answer = await call(...args);
      check(before, lossesBefore, answer);
      return answer;
    };
  const summarise = watched(() => ledger.summary());
  return {
    limits: ledger.limits,
    now: watched(() => ledger.now()),
    look: watched((ids) => ledger.look(ids)),
    peek: watched((ids) => ledger.peek(ids)),
    begin: watched((requests, options) => ledger.begin(requests, options)),
    published: watched((facts) => ledger.published(facts)),
    refused: watched((requests, token) => ledger.refused(requests, token)),
    archived: watched((ids, file, token) => ledger.archived(ids, file, token)),
    gone: watched((ids) => ledger.gone(ids)),
    deleteFailed: watched((ids, how) => ledger.deleteFailed(ids, how)),
    markUnlistedGone: watched((drain, startedAt) => ledger.markUnlistedGone(drain, startedAt)),
    park: watched((requests, options) => ledger.park(requests, options)),
    release: watched((ids, released) => ledger.release(ids, released)),
    parkedEntries: watched((cursor) => ledger.parkedEntries(cursor)),
    unknownOutcomes: watched((limit, offset) => ledger.unknownOutcomes(limit, offset)),
    pendingDeletes: watched((limit, offset) => ledger.pendingDeletes(limit, offset)),
    summary: async () => {
      const summary = await summarise();
      oldestAt = oldestUnsettledAt(summary, ledger.limits);
      return summary;
    },
    recordLoss: watched((at) => ledger.recordLoss(at)),
  };
}

/** What is in doubt was first published up to a horizon before its last POST. */
function oldestUnsettledAt(summary: LedgerSummary, limits: LedgerLimits): number | undefined {
  const { oldestPendingAt, oldestOpenAt, unknown } = summary;
  const times = [
    ...(oldestPendingAt === null ? [] : [oldestPendingAt]),
    ...(oldestOpenAt === null || unknown === 0 ? [] : [oldestOpenAt - postHorizonMs(limits)]),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

function toText({ epoch, sequence }: LedgerStamp): string {
  return `epoch ${epoch} at ${sequence}`;
}
