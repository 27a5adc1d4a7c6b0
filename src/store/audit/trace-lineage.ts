import type { AuditReader } from "../../ports/audit.ts";

/** Clocks of the service and of Redis differ by less than this. */
const clockSkewMs = 60 * 60_000;

/**
 * Nothing is done to a dead letter before it entered the queue; its id says when. Unix ms; 0 where an id does
 * not say.
 */
export function earliestActAt(dlqIds: Iterable<string>): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const dlqId of dlqIds) {
    earliest = Math.min(earliest, Number(/^(\d{1,15})-/.exec(dlqId)?.[1] ?? 0));
  }
  return Number.isFinite(earliest) ? Math.max(0, earliest - clockSkewMs) : 0;
}

/**
 * A record names the dead letter that it came back from, never the one that will come back: parents are
 * followed one by one, then everything since the eldest is read once, because a child is always acted on
 * later than its parent.
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
