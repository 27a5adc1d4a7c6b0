import type { AuditRecord } from "../../job/contracts/audit.ts";
import { ofDrain, recordIntent } from "../../job/write-audit.ts";
import type { DrainRuntime } from "../../job/runtime.ts";

/**
 * Writes an apply's orders into the audit before they are acted on: each record once, and again if it is
 * decided for another reason. Throws `redis-unavailable`.
 */
export function createOrderRecorder(
  drain: DrainRuntime,
  order: { readonly why?: string },
): (records: readonly AuditRecord[]) => Promise<void> {
  const recorded = new Map<string, string>();
  return async (records) => {
    const news = records.filter((one) => recorded.get(one.dlqId) !== toDecided(one));
    if (news.length === 0) return;
    await recordIntent(drain.source, "apply", news, { ...ofDrain(drain), ...order });
    for (const one of news) recorded.set(one.dlqId, toDecided(one));
  };
}

function toDecided({ rule, reason, attempt }: AuditRecord): string {
  return JSON.stringify([rule, reason, attempt]);
}
