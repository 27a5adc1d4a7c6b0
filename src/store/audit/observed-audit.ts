import type { Audit, NewAuditEntry } from "../../ports/audit.ts";

/**
 * Reports every entry: of an intent once it is written and before its act, of a fact at once, also while it
 * cannot be written.
 */
export function createObservedAudit(audit: Audit, observe: (entry: NewAuditEntry) => void): Audit {
  return {
    async append(entries) {
      await audit.append(entries);
      for (const entry of entries) observe(entry);
    },
    async record(entries) {
      for (const entry of entries) observe(entry);
      await audit.record(entries);
    },
  };
}
