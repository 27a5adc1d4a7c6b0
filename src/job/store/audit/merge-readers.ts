import type { AuditEntry, AuditReader } from "../../contracts/audit.ts";

/** Several audits as one, in the order of time. Of one millisecond the order is the same in every read. */
export function mergeReaders(readers: readonly AuditReader[]): AuditReader {
  return {
    async *read(query) {
      const sign = query.order === "newest-first" ? -1 : 1;
      const heads: { readonly entry: AuditEntry; readonly rest: AsyncIterator<AuditEntry> }[] = [];
      const advance = async (rest: AsyncIterator<AuditEntry>): Promise<void> => {
        const next = await rest.next();
        if (next.done !== true) heads.push({ entry: next.value, rest });
      };
      for (const reader of readers) await advance(reader.read(query)[Symbol.asyncIterator]());
      for (;;) {
        heads.sort(
          (one, other) => sign * (one.entry.at - other.entry.at) || bySource(one.entry, other.entry),
        );
        const first = heads.shift();
        if (first === undefined) return;
        yield first.entry;
        await advance(first.rest);
      }
    },
    async lineageOf(dlqId) {
      const families = await Promise.all(readers.map((reader) => reader.lineageOf(dlqId)));
      return new Set(families.flatMap((family) => [...family]));
    },
    cutAt: async () => Math.max(0, ...(await Promise.all(readers.map((reader) => reader.cutAt())))),
  };
}

function bySource(one: AuditEntry, other: AuditEntry): number {
  return one.source < other.source ? -1 : 1;
}
