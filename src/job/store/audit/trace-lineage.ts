import type { AuditReader } from "../../contracts/audit.ts";

/** Clocks of the service and of Redis differ by less than this. */
const clockSkewMs = 60 * 60_000;

/** Unix ms. No act comes before the entry into the queue, which is the time in the id. 0 for any other id. */
export function earliestActAt(dlqIds: Iterable<string>): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const dlqId of dlqIds) earliest = Math.min(earliest, Number(/^(\d{1,15})-/.exec(dlqId)?.[1] ?? 0));
  return Number.isFinite(earliest) ? Math.max(0, earliest - clockSkewMs) : 0;
}

/**
 * A record names its parent, never its children. So parents are followed one by one. Then everything since
 * the eldest is read once, because acts on a child are later than those on its parent.
 */
export async function traceLineage(read: AuditReader["read"], dlqId: string): Promise<ReadonlySet<string>> {
  const family = new Set<string>();
  for (let eldest: string | null = dlqId; eldest !== null && !family.has(eldest);) {
    family.add(eldest);
    eldest = await findParent(read, eldest);
  }
  for await (const { records } of read({ dlqIds: family, order: "oldest-first" })) {
    for (const record of records) family.add(record.dlqId);
  }
  return family;
}

async function findParent(read: AuditReader["read"], dlqId: string): Promise<string | null> {
  for await (const { records } of read({ dlqIds: new Set([dlqId]), order: "oldest-first" })) {
    const parent = records.find((record) => record.dlqId === dlqId && record.parent !== undefined)?.parent;
    if (parent !== undefined) return parent;
  }
  return null;
}
