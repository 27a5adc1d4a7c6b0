/**
 * Acts on many dead letters as one row each. Records of the same act, drain, actor, rule and reason are one
 * row if they are at most a minute apart, and no lane moved and no person acted in between. So a call on
 * thousands of records is one row, and a page of a pass too.
 */
import { defined } from "../../../job/message/defined.ts";
import { ofFailureNote, type AuditEntry, type AuditRecord } from "../../../job/contracts/audit.ts";
import { createTopCount } from "../../plan/top-count.ts";

const sameRowMs = 60_000;
const maxHosts = 100;
const shownHosts = 20;

export type ActRow = ReturnType<ReturnType<typeof createRow>["read"]>;

/** Entries newest first; rows too, by their last record. Holds rows of one minute, and of an apply its end. */
export async function* toActRows(entries: AsyncIterable<AuditEntry>): AsyncGenerator<ActRow> {
  const open = new Map<string, ReturnType<typeof createRow>>();
  const ends = new Map<string, { readonly entry: AuditEntry; isTold: boolean }>();
  for await (const entry of entries) {
    for (const [key, row] of open) {
      if (row.at - entry.at <= sameRowMs) break;
      open.delete(key);
      yield row.read();
    }
    for (const [key, { entry: end, isTold }] of ends) {
      if (entry.at >= (end.orderedAt ?? 0)) continue;
      ends.delete(key);
      if (!isTold) open.set(key, createRow(end, {}));
    }
    const { act, orderedAt } = entry;
    const order = toApplyKey(entry);
    const end = ends.get(order);
    let before: AuditRecord | undefined;
    let row: ReturnType<typeof createRow> | undefined;
    for (const record of entry.records) {
      // Neighbours are mostly alike, and a page may have a hundred thousand of them.
      if (row === undefined || record.rule !== before?.rule || record.reason !== before?.reason) {
        const key = toKey(entry, record);
        row = open.get(key) ?? createRow(entry, record, end?.entry);
        open.set(key, row);
        if (end !== undefined) end.isTold = true;
      }
      row.add(entry.at, record);
      before = record;
    }
    if (entry.records.length > 0) continue;
    if (act === "apply" && orderedAt !== undefined) {
      ends.set(order, { entry, isTold: false });
      continue;
    }
    // A lane's move or a person's act stands between what was done before and after it.
    for (const row of open.values()) yield row.read();
    open.clear();
    open.set(`${entry.at}`, createRow(entry, {}));
  }
  for (const row of open.values()) yield row.read();
  for (const { entry, isTold } of ends.values()) if (!isTold) yield createRow(entry, {}).read();
}

/** The same of the orders of an apply, and of its end. */
export function toApplyKey({ act, source, drain, by, orderedAt }: AuditEntry): string {
  return JSON.stringify([act, source, drain, by, orderedAt]);
}

function toKey(
  { source, act, drain, by, why, orderedAt }: AuditEntry,
  { rule, reason }: AuditRecord,
): string {
  return JSON.stringify([source, act, drain, by, why, orderedAt, rule, reason]);
}

function createRow(
  { at, act, source, drain, by, why, lane, host, forMs, orderedAt = at }: AuditEntry,
  { rule, reason }: Pick<AuditRecord, "rule" | "reason">,
  end?: AuditEntry,
) {
  const hosts = createTopCount<string>(maxHosts);
  const notes: Record<string, number> = {};
  let [since, count, comeBacks, dlqId] = [orderedAt, 0, 0, ""];
  return {
    at,
    add(seenAt: number, record: AuditRecord): void {
      const { host, parent, count: alike = 1 } = record;
      since = Math.min(since, seenAt);
      count += alike;
      dlqId = record.dlqId;
      if (host !== undefined) hosts.add(host, alike);
      if (parent !== undefined) comeBacks += alike;
      for (const written of record.notes ?? []) {
        // A row may be of any number of kinds; rows of records name each.
        if (written.startsWith(ofFailureNote)) continue;
        const note = written.startsWith("superseded-by:") ? "superseded-by" : written;
        notes[note] = (notes[note] ?? 0) + alike;
      }
    },
    read() {
      const isOrder = act === "apply" && count > 0;
      return {
        at: end?.at ?? at,
        /** Unix ms: when its apply began, or its first record. `at` is its last, or the end of its apply. */
        since,
        act,
        /** Records; 0 for an act on none, and for an apply, which orders: the acts that follow count. */
        count: isOrder ? 0 : count,
        ...defined({ ordered: isOrder ? count : undefined, dlqId: count === 1 ? dlqId : undefined }),
        source,
        drain,
        by,
        ...defined({ rule, reason, why: end?.why ?? why, lane, host, forMs }),
        hosts: hosts.top(shownHosts),
        /** By note, such as a loss of the rebuild, how many records have it. */
        notes: notes as Readonly<Record<string, number>>,
        /** Records that came back from an earlier redrive. */
        comeBacks,
      };
    },
  };
}
