import { openAuditReader } from "../../src/job/compose/open-readers.ts";
import type { AuditEntry } from "../../src/job/contracts/audit.ts";

/** What the audit has, newest last; of one act, if that is named. */
export async function auditOf(
  core: Parameters<typeof openAuditReader>[0],
  act?: AuditEntry["act"],
): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of openAuditReader(core).read({ order: "oldest-first" })) entries.push(entry);
  return act === undefined ? entries : entries.filter((entry) => entry.act === act);
}
