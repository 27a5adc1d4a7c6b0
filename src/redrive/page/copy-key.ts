import { createHash } from "node:crypto";
import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { toEnteredAt } from "../../message/parse-record.ts";

/**
 * The name of a record's copy in Redis and in the audit: its id, or a hash of the id if that has not the documented form, because
 * such an id may hold anything. Null without an id: such a record cannot be distinguished from another.
 */
export function copyKeyOf({ dlqId }: RawRecord): DlqId | null {
  if (typeof dlqId !== "string" || dlqId === "") return null;
  if (toEnteredAt(dlqId) !== null) return dlqId as DlqId;
  return `id_hash-${createHash("sha256").update(dlqId).digest("hex").slice(0, 24)}` as DlqId;
}
