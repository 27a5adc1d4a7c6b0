import type { AuditRecord } from "../../ports/audit.ts";
import { recordIntent, ofDrain } from "../record-act.ts";
import type { DrainRuntime } from "../runtime.ts";

/**
 * Writes an apply's orders into the audit before they are acted on: a record that is looked at again and again once, and again where it is
 * decided for another reason. Throws `redis-unavailable`.
 */
export function createOrderNotes(
  drain: DrainRuntime,
  order: { readonly why?: string },
): (records: readonly AuditRecord[]) => Promise<void> {
  const noted = new Map<string, string>();
  return async (records) => {
    const news = records.filter((one) => noted.get(one.dlqId) !== toRecorded(one));
    if (news.length === 0) return;
    await recordIntent(drain.source, "apply", news, { ...ofDrain(drain), ...order });
    for (const one of news) noted.set(one.dlqId, toRecorded(one));
  };
}

function toRecorded({ rule, reason, attempt }: AuditRecord): string {
  return JSON.stringify([rule, reason, attempt]);
}
