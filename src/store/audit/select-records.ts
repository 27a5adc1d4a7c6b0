import type { AuditEntry, AuditQuery } from "../../ports/audit.ts";

/** The entry with only the records that the query asks for; null where there is nothing left of it. Times are not looked at. */
export function selectRecords(entry: AuditEntry, { dlqIds, drain }: AuditQuery): AuditEntry | null {
  if (drain !== undefined && entry.drain !== drain && !concernsAllDrains(entry)) return null;
  if (dlqIds === undefined) return entry;
  const records = entry.records.filter(
    ({ dlqId, parent }) => dlqIds.has(dlqId) || (parent !== undefined && dlqIds.has(parent)),
  );
  return records.length === 0 ? null : { ...entry, records };
}

function concernsAllDrains({ act, drain }: AuditEntry): boolean {
  return drain === null && (act === "pause" || act === "resume");
}
