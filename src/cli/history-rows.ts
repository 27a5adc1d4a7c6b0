import { toPrintable } from "../message/masked-text.ts";
import type { AuditEntry } from "../ports/audit.ts";

/** One dead letter in one act; an act on no dead letter (a pause) is a row too. */
export interface HistoryRow {
  /** Unix ms, by Redis's clock. */
  readonly at: number;
  readonly act: AuditEntry["act"];
  readonly dlqId: string | null;
  readonly source: string;
  readonly drain: string | null;
  readonly rule?: string | null;
  readonly reason?: string;
  readonly attempt?: number;
  readonly by: string;
  readonly as?: string;
  readonly parent?: string;
  readonly notes?: readonly string[];
  readonly why?: string;
  readonly passId?: string;
  readonly documentHash?: string;
}

export function toHistoryRows(entry: AuditEntry): readonly HistoryRow[] {
  const { at, act, records, source, drain, by, ...rest } = entry;
  const common = { source, drain, by, ...rest };
  if (records.length === 0) return [{ at, act, dlqId: null, ...common }];
  return records.map(({ dlqId, ...record }) => ({ at, act, dlqId, ...common, ...record }));
}

export const historyHeader = ["when", "act", "dlqId", "drain", "rule", "reason", "by", "as"] as const;

/** The cells of a row. A person's words stand where a rule's would. */
export function toCells(row: HistoryRow): readonly string[] {
  return [
    new Date(row.at).toISOString(),
    row.act,
    row.dlqId ?? "-",
    row.drain ?? (row.dlqId === null ? "(all)" : "-"),
    row.rule ?? "-",
    toReason(row),
    row.by,
    row.as ?? "-",
  ].map(toPrintable);
}

function toReason({ reason, why, notes = [], parent }: HistoryRow): string {
  const parts = [reason, why, ...notes, parent === undefined ? undefined : `came back from ${parent}`];
  return parts.filter((part) => part !== undefined).join("; ") || "-";
}
