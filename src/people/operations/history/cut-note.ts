import type { AuditReader } from "../../../job/contracts/audit.ts";
import { toTime } from "../phrases.ts";

/** That a span, from Unix ms, reaches further back than the audit; empty if it does not. Fails with `redis-unavailable`. */
export async function readCutNote(reader: AuditReader, since = 0): Promise<string> {
  const cutAt = await reader.cutAt();
  if (since >= cutAt) return "";
  return `not known: what was done before ${toTime(cutAt)}, because the audit has reached its size\n`;
}
