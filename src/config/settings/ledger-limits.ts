import { durationText } from "../../rules/durations.ts";
import type { DrainsDocument, SourceConfig } from "../../ports/drains-document.ts";
import { postHorizonMs, takeoverAfterMs, type LedgerLimits } from "../../ports/ledger-limits.ts";
import { misfit, type Problem } from "../problem.ts";
import type { Settings } from "./settings.ts";

const hourMs = 3_600_000;

/**
 * The ledger's limits for one source. A tombstone outlives every page (maxPageAge) and two full passes of the
 * source's slowest drain. An hour is to spare for a slow pass.
 */
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

/**
 * The inequality that keeps a message from doubling, for each source: W − S − X − 45 s must exceed S + T + 15
 * s, and a page and the settle gate must be younger than W. Empty if all are true.
 */
export function checkInequality(settings: Settings, document: DrainsDocument): readonly Problem[] {
  return document.sources.flatMap((source) => {
    const limits = toLedgerLimits(settings, document, source);
    const subject = `sources.${source.name}.dedupWindow`;
    const windowText = durationText(limits.dedupWindowMs);
    const problems: Problem[] = [];
    const horizonMs = postHorizonMs(limits);
    const takeoverMs = takeoverAfterMs(limits);
    if (horizonMs <= takeoverMs) {
      const minMs = limits.dedupWindowMs - horizonMs + takeoverMs;
      const sendBy = `ledger.sendBy ${durationText(limits.sendByMs)}`;
      const behind =
        `: dedupWindow ${windowText} - ${sendBy} - ledger.networkDelay ${durationText(limits.networkDelayMs)} - 45s` +
        ` = ${durationText(horizonMs)} must exceed ${sendBy}` +
        ` + service.batchTimeout ${durationText(limits.batchTimeoutMs)} + 15s = ${durationText(takeoverMs)}`;
      problems.push({ path: subject, ...misfit(`more than ${durationText(minMs)}`, windowText, behind) });
    }
    for (const [setting, ms] of [
      ["ledger.maxPageAge", limits.maxPageAgeMs],
      ["ledger.settleGateAge", limits.settleGateAgeMs],
    ] as const) {
      if (ms < limits.dedupWindowMs) continue;
      problems.push({ setting, ...misfit(`less than ${subject} ${windowText}`, durationText(ms)) });
    }
    return problems;
  });
}
