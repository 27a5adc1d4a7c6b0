/**
 * Acts on many dead letters as one row each. Records of the same act, drain, actor, rule and reason are one
 * row if they are at most a minute apart, and no lane moved and no person acted in between. So a call on
 * thousands of records is one row, and a page of a pass too.
 */
import { defined } from "../../message/defined.ts";
import { toPrintable } from "../../message/show-masked-values.ts";
import type { AuditEntry, AuditRecord } from "../../ports/audit.ts";
import { createTopCount, type TopCounted } from "../../redrive/plan/top-count.ts";
import { formatDuration } from "../../rules/durations.ts";
import { toDestinationText } from "../output/destination-text.ts";
import { present } from "../output/phrases.ts";
import { laneMoveText } from "./rows.ts";

const sameRowMs = 60_000;
const maxHosts = 100;
const shownHosts = 20;

export interface ActRow extends Pick<
  AuditEntry,
  "at" | "act" | "source" | "drain" | "by" | "why" | "lane" | "host" | "forMs"
> {
  /** Unix ms: its first record. `at` is its last. */
  readonly since: number;
  /** Records; 0 for an act on none. */
  readonly count: number;
  readonly rule?: string | null;
  readonly reason?: string;
  /** If it is one record. */
  readonly dlqId?: string;
  readonly hosts: TopCounted<string>;
  /** By note, such as a loss of the rebuild, how many records have it. */
  readonly notes: Readonly<Record<string, number>>;
  /** Records that came back from an earlier redrive. */
  readonly comeBacks: number;
}

/** Entries newest first; rows too, by their last record. Holds the rows of one minute. */
export async function* toActRows(entries: AsyncIterable<AuditEntry>): AsyncGenerator<ActRow> {
  const open = new Map<string, ReturnType<typeof createRow>>();
  for await (const entry of entries) {
    for (const [key, row] of open) {
      if (row.at - entry.at <= sameRowMs) break;
      open.delete(key);
      yield row.read();
    }
    for (const record of entry.records) {
      const key = toKey(entry, record);
      const row = open.get(key) ?? createRow(entry, record);
      open.set(key, row);
      row.add(entry.at, record);
    }
    if (entry.records.length > 0) continue;
    // A lane's move or a person's act stands between what was done before and after it.
    for (const row of open.values()) yield row.read();
    open.clear();
    open.set(`${entry.at}`, createRow(entry, {}));
  }
  for (const row of open.values()) yield row.read();
}

function toKey({ source, act, drain, by, why }: AuditEntry, { rule, reason }: AuditRecord): string {
  return JSON.stringify([source, act, drain, by, why, rule, reason]);
}

function createRow(
  { at, act, source, drain, by, why, lane, host, forMs }: AuditEntry,
  { rule, reason }: Pick<AuditRecord, "rule" | "reason">,
) {
  const hosts = createTopCount<string>(maxHosts);
  const notes: Record<string, number> = {};
  let since = at;
  let count = 0;
  let comeBacks = 0;
  let dlqId = "";
  return {
    at,
    add(seenAt: number, record: AuditRecord): void {
      since = Math.min(since, seenAt);
      count += 1;
      ({ dlqId } = record);
      if (record.host !== undefined) hosts.add(record.host);
      if (record.parent !== undefined) comeBacks += 1;
      for (const note of record.notes ?? []) notes[note] = (notes[note] ?? 0) + 1;
    },
    read(): ActRow {
      return {
        at,
        since,
        act,
        count,
        source,
        drain,
        by,
        ...(rule === undefined ? {} : { rule }),
        ...(reason === undefined ? {} : { reason }),
        ...(why === undefined ? {} : { why }),
        ...defined({ lane, host, forMs }),
        ...(count === 1 ? { dlqId } : {}),
        hosts: hosts.top(shownHosts),
        notes,
        comeBacks,
      };
    },
  };
}

/** The columns of the table. */
export const actColumns = {
  when: ({ at }) => new Date(at).toISOString(),
  act: ({ act }) => act,
  count: ({ count }) => (count === 0 ? "-" : count),
  drain: ({ drain, count }) => toPrintable(drain ?? (count === 0 ? "(all)" : "-")),
  rule: ({ rule }) => toPrintable(rule ?? "-"),
  reason: ({ reason, lane }) => toPrintable(reason ?? lane?.why ?? "-"),
  host: ({ hosts, lane, host }) => toPrintable(toDestinationText(lane?.origin ?? host ?? toHosts(hosts))),
  notes: (row) => toPrintable(toNotes(row)),
  why: ({ why }) => toPrintable(why ?? "-"),
  by: ({ by }) => toPrintable(by),
} satisfies Readonly<Record<string, (row: ActRow) => string | number>>;

function toHosts({ top, more }: TopCounted<string>): string {
  const [first] = top;
  if (first === undefined) return "-";
  const others = top.length - 1 + more.kinds;
  return others === 0 ? first.key : `${first.key} +${others}`;
}

function toNotes({ dlqId, count, notes, comeBacks, lane, forMs }: ActRow): string {
  const many = (times: number, what: string): string => (count === 1 ? what : `${times} ${what}`);
  const parts = [
    dlqId,
    ...Object.entries(notes).map(([note, times]) => many(times, note)),
    comeBacks > 0 && many(comeBacks, "failed again"),
    lane !== undefined && laneMoveText(lane),
    forMs !== undefined && `for ${formatDuration(forMs)}`,
  ];
  return present(parts).join(", ") || "-";
}
