import type { Ledger, LedgerStamp } from "../ports/ledger.ts";

export interface LostWrites {
  readonly expected: string;
  readonly got: string;
}

/**
 * Looks at the stamp of every answer. Another epoch, or a lower sequence number than this process has seen, means that Redis
 * lost writes that it had acknowledged (flushed, restored, or failed over to a replica that was behind).
 */
export function watchLedger(ledger: Ledger, onLostWrites: (lost: LostWrites) => void): Ledger {
  let seen: LedgerStamp | null = null;
  const check = (stamp: LedgerStamp): void => {
    const before = seen;
    const lost = before !== null && (stamp.epoch !== before.epoch || stamp.sequence < before.sequence);
    seen = lost || before === null || stamp.sequence > before.sequence ? stamp : before;
    if (lost) onLostWrites({ expected: toText(before), got: toText(stamp) });
  };
  const watched =
    <Args extends unknown[], Answer extends LedgerStamp>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const answer = await call(...args);
      check(answer);
      return answer;
    };
  return {
    limits: ledger.limits,
    now: watched(() => ledger.now()),
    look: watched((ids) => ledger.look(ids)),
    begin: watched((requests, options) => ledger.begin(requests, options)),
    published: watched((facts) => ledger.published(facts)),
    refused: watched((requests, token) => ledger.refused(requests, token)),
    archived: watched((ids, file, token) => ledger.archived(ids, file, token)),
    gone: watched((ids) => ledger.gone(ids)),
    deleteFailed: watched((ids) => ledger.deleteFailed(ids)),
    goneUnlisted: watched((drain, startedAt) => ledger.goneUnlisted(drain, startedAt)),
    park: watched((requests, options) => ledger.park(requests, options)),
    release: watched((ids) => ledger.release(ids)),
    unknownOutcomes: watched((limit) => ledger.unknownOutcomes(limit)),
    pendingDeletes: watched((limit, offset) => ledger.pendingDeletes(limit, offset)),
    summary: watched(() => ledger.summary()),
  };
}

function toText({ epoch, sequence }: LedgerStamp): string {
  return `epoch ${epoch} at ${sequence}`;
}
