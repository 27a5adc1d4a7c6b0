import type { Audit, NewAuditEntry } from "../../ports/audit.ts";

/** Tells of every entry: of an intent once it is written and before its act, of a fact at once, also while it cannot be written. */
export function createToldAudit(audit: Audit, tell: (entry: NewAuditEntry) => void): Audit {
  return {
    async append(entries) {
      await audit.append(entries);
      for (const entry of entries) tell(entry);
    },
    async note(entries) {
      for (const entry of entries) tell(entry);
      await audit.note(entries);
    },
  };
}
