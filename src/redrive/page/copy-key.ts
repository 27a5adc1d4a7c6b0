import { createHash } from "node:crypto";
import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { toEnteredAt } from "../../message/parse-record.ts";

/**
 * Under what a record is known to be copied, in Redis and in the audit: its id, or where that is not of the documented form a hash of
 * it, because such a one may hold anything. Null without an id: such a record cannot be told from another.
 */
export function copyKeyOf({ dlqId }: RawRecord): DlqId | null {
  if (typeof dlqId !== "string" || dlqId === "") return null;
  if (toEnteredAt(dlqId) !== null) return dlqId as DlqId;
  return `id_hash-${createHash("sha256").update(dlqId).digest("hex").slice(0, 24)}` as DlqId;
}
