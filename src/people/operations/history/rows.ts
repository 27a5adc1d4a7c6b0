import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { durationText } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../destination-text.ts";
import { present, toSecond, type Part } from "../phrases.ts";
import type { TopCounted } from "../../plan/top-count.ts";
import type { ActRow } from "./act-rows.ts";
import type { AuditEntry, AuditLane, AuditRecord } from "../../../job/contracts/audit.ts";

/** One dead letter in one act; an act on no dead letter (a pause, the move of a lane) is a row too. */
export type HistoryRow = Omit<AuditEntry, "records"> &
  Partial<Omit<AuditRecord, "dlqId">> & { readonly dlqId: string | null };

export function toHistoryRows(entry: AuditEntry): readonly HistoryRow[] {
  const { at, act, records, source, drain, by, ...rest } = entry;
  const common = { source, drain, by, ...rest };
  if (records.length === 0) return [{ at, act, dlqId: null, ...common }];
  return records.map(({ dlqId, ...record }) => ({ at, act, dlqId, ...common, ...record }));
}

/** With what lets a dead letter be deleted: an act that a row further down shows. */
type ProvenRow = HistoryRow & { readonly proof?: string | undefined };

/** The columns of the table. A `reason` is a decision's or a lane's, a `why` is a person's. */
export const historyColumns = {
  when: ({ at }) => toSecond(at),
  act: ({ act }) => act,
  dlqId: ({ dlqId }) => toPrintable(dlqId ?? "-"),
  drain: ({ drain, dlqId, source }) => toPrintable(drain ?? (dlqId === null ? toAllOf(source) : "-")),
  rule: ({ rule }) => toPrintable(rule ?? "-"),
  reason: (row) => toPrintable(reasonText(row) ?? "-"),
  notes: (row) => toPrintable(toNotes(row)),
  why: ({ why }) => toPrintable(why ?? "-"),
  by: ({ by }) => toPrintable(by),
  as: (row) => toPrintable(row.as ?? "-"),
} satisfies Readonly<Record<string, (row: ProvenRow) => string>>;

export function withProofs(rows: readonly HistoryRow[]): readonly ProvenRow[] {
  const proofs = new Map<string | null, string>();
  return rows
    .toReversed()
    .map((row) => {
      if (row.act === "published") proofs.set(row.dlqId, "after published");
      if (row.act === "drop") proofs.set(row.dlqId, "after archived");
      return row.act === "delete" ? { ...row, proof: proofs.get(row.dlqId) } : row;
    })
    .toReversed();
}

function toNotes(row: ProvenRow): string {
  const { notes = [], parent, lane, host, forMs, proof } = row;
  const parts = [
    ...new Set(notes),
    proof,
    parent !== undefined && `came back from ${parent}`,
    lane !== undefined && toDestinationText(lane.origin),
    laneMoveText(row),
    host !== undefined && toDestinationText(host),
    forMs !== undefined && `for ${durationText(forMs)}`,
  ];
  return present(parts).join(", ") || "-";
}

type LaneEntry = Pick<AuditEntry, "act"> & { readonly lane?: AuditLane | undefined };

/** What became of the lane. A probe that a person asked for moves nothing, nor may a reset. Null: no lane. */
export function laneMoveText({ act, lane }: LaneEntry): string | null {
  if (lane === undefined) return null;
  const { from, to, sent, comeBacks } = lane;
  if (act === "lane-probe") return "a probe is asked for";
  return from === to ? from : `${from} to ${to}, ${sent} canaries, ${comeBacks} back`;
}

/** A decision's reason, or a lane's: of a probe that a person asked for, why it was halted until then. */
export function reasonText({
  act,
  reason,
  lane,
}: LaneEntry & { readonly reason?: string | undefined }): string | null {
  if (reason !== undefined || lane === undefined) return reason ?? null;
  return act === "lane-probe" ? `it was ${lane.from}: ${lane.why}` : lane.why;
}

/** Of an act on no drain: those of one source differ from those of another in nothing else. */
export function toAllOf(source: string): string {
  return `every drain of ${source}`;
}

export function toActNotes(row: ActRow, toText: (count: number) => string): readonly Part[] {
  const { count, ordered, notes, comeBacks, forMs } = row;
  const many = (times: number, what: string): string => (count === 1 ? what : `${toText(times)} ${what}`);
  return [
    ordered !== undefined && `${toText(ordered)} ordered`,
    ...Object.entries(notes).map(([note, times]) => many(times, note)),
    comeBacks > 0 && many(comeBacks, "had come back"),
    laneMoveText(row),
    forMs !== undefined && `for ${durationText(forMs)}`,
  ];
}

/** A row for each act, whatever number of dead letters it was on. */
export const actColumns = {
  when: ({ at, since }) => toSecond(at, since),
  act: ({ act }) => act,
  count: ({ count }) => (count === 0 ? "-" : count),
  drain: ({ drain, count, source }) => toPrintable(drain ?? (count === 0 ? toAllOf(source) : "-")),
  rule: ({ rule }) => toPrintable(rule ?? "-"),
  reason: (row) => toPrintable(reasonText(row) ?? "-"),
  host: ({ hosts, lane, host }) => toPrintable(toDestinationText(lane?.origin ?? host ?? toHosts(hosts))),
  notes: (row) => toPrintable(present([row.dlqId, ...toActNotes(row, String)]).join(", ") || "-"),
  why: ({ why }) => toPrintable(why ?? "-"),
  by: ({ by }) => toPrintable(by),
} satisfies Readonly<Record<string, (row: ActRow) => string | number>>;

function toHosts({ top, more }: TopCounted<string>): string {
  const [first] = top;
  if (first === undefined) return "-";
  const others = top.length - 1 + more.kinds;
  return others === 0 ? first.key : `${first.key} +${others}`;
}
