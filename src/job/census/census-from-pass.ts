import { serviceNow } from "../contracts/service.ts";
import type { Census } from "../contracts/source-book.ts";
import type { Pass } from "../contracts/passes.ts";
import type { Tally } from "../contracts/tally.ts";
import { selectsEverything } from "../message/select.ts";
import type { DrainRuntime } from "../runtime.ts";
import { emptyCensus, toExpiry } from "./count-and-copy-expiring.ts";

/**
 * The census of a complete full pass of a live drain without selection that has its source for itself. Null: it may
 * not have listed everything, or it saw records near their expiry or of unknown age, which need a check each.
 */
export function toPassCensus(
  { config, source, nearMs, hasOthers }: Pick<DrainRuntime, "config" | "source" | "nearMs" | "hasOthers">,
  pass: Pass,
  tally: Tally,
): Census | null {
  if (pass.kind !== "full" || pass.mode !== "live") return null;
  if (hasOthers || !selectsEverything(config) || tally.pagesBehindDeletes > 0) return null;
  const { parked } = tally.reasons;
  if (parked["no-dlq-id"] !== undefined || parked["malformed-record"] !== undefined) return null;
  const earliestExpiryAt = toExpiry(tally.oldestRecordAt, source.config.retentionMs);
  // It serves for a whole interval, so a record that becomes near within it counts as near already.
  const soonMs = nearMs + source.config.censusEveryMs;
  if (earliestExpiryAt !== null && earliestExpiryAt < serviceNow(source) + soonMs) return null;
  return {
    ...emptyCensus,
    at: pass.startedAt,
    counted: "pass",
    depth: Math.max(0, tally.listed - tally.deleted),
    oldestEnteredAt: tally.oldestRecordAt,
    earliestExpiryAt,
    documentHash: pass.documentHash,
    countingKey: pass.countingKey,
  };
}
