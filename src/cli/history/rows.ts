import { toPrintable } from "../../message/masked-text.ts";
import type { AuditEntry, AuditLane, AuditRecord } from "../../ports/audit.ts";

/** One dead letter in one act; an act on no dead letter (a pause, the move of a lane) is a row too. */
export type HistoryRow = Omit<AuditEntry, "records"> &
  Partial<Omit<AuditRecord, "dlqId">> & { readonly dlqId: string | null };

export function toHistoryRows(entry: AuditEntry): readonly HistoryRow[] {
  const { at, act, records, source, drain, by, ...rest } = entry;
  const common = { source, drain, by, ...rest };
  if (records.length === 0) return [{ at, act, dlqId: null, ...common }];
  return records.map(({ dlqId, ...record }) => ({ at, act, dlqId, ...common, ...record }));
}

export const historyHeader = [
  "when",
  "act",
  "dlqId",
  "drain",
  "rule",
  "reason",
  "notes",
  "why",
  "by",
  "as",
] as const;

/** The cells of these rows, newest first. A `reason` is a decision's or a lane's, a `why` is a person's. */
export function toTableRows(rows: readonly HistoryRow[]): readonly (readonly string[])[] {
  const proofs = new Map<string, string>();
  return rows
    .toReversed()
    .map((row) => {
      const proof = row.act === "delete" ? proofs.get(row.dlqId ?? "") : undefined;
      const says = proofOf(row);
      if (says !== undefined && row.dlqId !== null) proofs.set(row.dlqId, says);
      return toCells(row, proof);
    })
    .toReversed();
}

/** What lets a dead letter be deleted: this act on it. */
function proofOf({ act }: HistoryRow): string | undefined {
  if (act === "published") return "after published";
  return act === "drop" ? "after archived" : undefined;
}

function toCells(row: HistoryRow, proof: string | undefined): readonly string[] {
  return [
    new Date(row.at).toISOString(),
    row.act,
    row.dlqId ?? "-",
    row.drain ?? (row.dlqId === null ? "(all)" : "-"),
    row.rule ?? "-",
    row.reason ?? row.lane?.why ?? "-",
    toNotes(row, proof),
    row.why ?? "-",
    row.by,
    row.as ?? "-",
  ].map(toPrintable);
}

function toNotes({ notes = [], parent, lane }: HistoryRow, proof: string | undefined): string {
  const parts = [
    ...new Set(notes),
    proof,
    parent === undefined ? undefined : `came back from ${parent}`,
    ...(lane === undefined ? [] : toLaneNotes(lane)),
  ];
  return parts.filter((part) => part !== undefined).join(", ") || "-";
}

function toLaneNotes({ origin, from, to, sent, comeBacks }: AuditLane): readonly string[] {
  return [origin, `${from} to ${to}`, `${sent} sent`, `${comeBacks} back`];
}
