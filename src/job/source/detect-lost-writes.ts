import { postHorizonMs, type LedgerLimits } from "../contracts/ledger-limits.ts";
import type { Ledger, LedgerStamp, LedgerSummary } from "../contracts/ledger.ts";
import { earlier } from "../contracts/tally.ts";

export interface LostWrites {
  readonly expected: string;
  readonly got: string;
}

/**
 * Checks the stamp of every answer of a ledger. Another epoch means that Redis lost acknowledged writes: it was
 * flushed, restored, or failed over to a late replica. So does a lower sequence number than was seen when it was
 * asked: answers may come out of order.
 *
 * `oldestAt`: when the oldest publication that this process knew as not yet deleted was made, Redis time. If a
 * later series began, or could, within the last deduplication window, something may be published under its suffix.
 * After the loss it would be posted under the plain id, which the service would not recognise. So `oldestAt` then
 * lies past the horizon, and `afterLedgerLoss` decides at once.
 *
 * Views from before the loss was recorded do not name it. So a look that meets one looks again, once `onLostWrites`
 * has ended.
 */
export function watchLedger(
  ledger: Ledger,
  onLostWrites: (lost: LostWrites, oldestAt: number | undefined) => unknown,
  onStamp?: (stamp: LedgerStamp) => void,
): Ledger {
  let seen: LedgerStamp | null = null;
  let oldestAt: number | undefined;
  /** From any answer, because a ledger that lost writes no longer has it. */
  let seriesEndedAt = -Infinity;
  /** Of an earlier loss: what it forgot may wait still. */
  let lostSince: number | undefined;
  /** Questions from before a detected loss do not report it again. */
  let losses = 0;
  let lossHandled: unknown;
  const check = (before: LedgerStamp | null, lossesBefore: number, stamp: LedgerStamp): void => {
    seriesEndedAt = Math.max(seriesEndedAt, stamp.seriesEndedAt ?? -Infinity);
    lostSince = stamp.lost?.since ?? lostSince;
    if (lossesBefore !== losses) return;
    if (before !== null && (stamp.epoch !== before.epoch || stamp.sequence < before.sequence)) {
      losses += 1;
      seen = stamp;
      lossHandled = onLostWrites(
        { expected: toText(before), got: toText(stamp) },
        mayHavePublishedSince(stamp),
      );
      return;
    }
    if (seen === null || stamp.sequence > seen.sequence) seen = stamp;
  };
  const mayHavePublishedSince = ({ at }: LedgerStamp): number | undefined => {
    const times = [oldestAt, lostSince].filter((time) => time !== undefined);
    if (at - seriesEndedAt <= ledger.limits.dedupWindowMs) times.push(at - postHorizonMs(ledger.limits) - 1);
    return times.length === 0 ? undefined : Math.min(...times);
  };
  const watched =
    <Args extends unknown[], Answer extends LedgerStamp>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const before = seen;
      const lossesBefore = losses;
      const answer = await call(...args);
      onStamp?.(answer);
      check(before, lossesBefore, answer);
      return answer;
    };
  const calls = Object.entries(ledger).map(([name, member]) => [
    name,
    typeof member === "function" ? watched(member) : member,
  ]);
  const watchedLedger = Object.fromEntries(calls) as Ledger;
  return {
    ...watchedLedger,
    look: async (dlqIds, workerLostAt) => {
      const lossesBefore = losses;
      const answer = await watchedLedger.look(dlqIds, workerLostAt);
      if (losses === lossesBefore) return answer;
      await lossHandled;
      return watchedLedger.look(dlqIds, workerLostAt);
    },
    summary: async (rules) => {
      const summary = await watchedLedger.summary(rules);
      oldestAt = oldestUnsettledAt(summary, ledger.limits);
      return summary;
    },
  };
}

/** A record in doubt was first published up to a horizon before its last POST. */
function oldestUnsettledAt(
  { oldestPendingAt, oldestOpenAt, unknown }: LedgerSummary,
  limits: LedgerLimits,
): number | undefined {
  const openAt = oldestOpenAt === null || unknown === 0 ? null : oldestOpenAt - postHorizonMs(limits);
  return earlier(oldestPendingAt, openAt) ?? undefined;
}

function toText({ epoch, sequence }: LedgerStamp): string {
  return `epoch ${epoch} at ${sequence}`;
}
