import type { DlqId, MessageId } from "../../src/job/message/dead-letter.ts";
import type { LedgerLimits } from "../../src/job/contracts/ledger-limits.ts";

/** The numbers of the ledger's page: takeoverAfter is 60 s and the horizon 7 min. */
export const defaultLimits: LedgerLimits = {
  dedupWindowMs: 600_000,
  sendByMs: 15_000,
  batchTimeoutMs: 30_000,
  networkDelayMs: 120_000,
  maxPageAgeMs: 300_000,
  retentionMs: 3 * 86_400_000,
  tombstoneMs: 7_200_000,
  settleGateAgeMs: 120_000,
  settleGateFailedDeletes: 1_000,
};

/** As long as the service's. */
export const messageOf = (id: DlqId): MessageId => `msg_2b9f4c0a7e61d83f5a0c_${id}` as MessageId;
