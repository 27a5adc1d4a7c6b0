import type { DrainsDocument, SourceConfig } from "../../job/contracts/drains-document.ts";
import type { LedgerLimits } from "../../job/contracts/ledger-limits.ts";
import type { Settings } from "./settings.ts";

const hourMs = 3_600_000;

/** A tombstone outlives every page and two full passes of the slowest drain, with an hour to spare. */
export function toLedgerLimits(
  settings: Settings,
  document: DrainsDocument,
  source: SourceConfig,
): LedgerLimits {
  const { ledger, service } = settings;
  const fullEveryMs = document.drains
    .filter((drain) => drain.source.id === source.id)
    .map((drain) => drain.fullEveryMs);
  return {
    dedupWindowMs: source.dedupWindowMs,
    sendByMs: ledger.sendByMs,
    batchTimeoutMs: service.batchTimeoutMs,
    networkDelayMs: ledger.networkDelayMs,
    maxPageAgeMs: ledger.maxPageAgeMs,
    retentionMs: source.retentionMs,
    tombstoneMs: Math.max(ledger.maxPageAgeMs, 2 * Math.max(0, ...fullEveryMs)) + hourMs,
    settleGateAgeMs: ledger.settleGateAgeMs,
    settleGateFailedDeletes: ledger.settleGateFailedDeletes,
  };
}
