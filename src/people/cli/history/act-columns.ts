import { toDestinationText } from "../../operations/destination-text.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { ActRow } from "../../operations/history/act-rows.ts";
import { laneMoveText, reasonText } from "../../operations/history/rows.ts";
import { present, toSecond } from "../../operations/phrases.ts";
import type { TopCounted } from "../../plan/top-count.ts";
import { formatDuration } from "../../../job/rules/durations.ts";

/** The columns of the table. */
export const actColumns = {
  when: ({ at }) => toSecond(at),
  act: ({ act }) => act,
  count: ({ count }) => (count === 0 ? "-" : count),
  drain: ({ drain, count }) => toPrintable(drain ?? (count === 0 ? "(all)" : "-")),
  rule: ({ rule }) => toPrintable(rule ?? "-"),
  reason: (row) => toPrintable(reasonText(row) ?? "-"),
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

function toNotes(row: ActRow): string {
  const { dlqId, count, ordered, notes, comeBacks, forMs } = row;
  const many = (times: number, what: string): string => (count === 1 ? what : `${times} ${what}`);
  const parts = [
    dlqId,
    ordered !== undefined && `${ordered} ordered`,
    ...Object.entries(notes).map(([note, times]) => many(times, note)),
    comeBacks > 0 && many(comeBacks, "had come back"),
    laneMoveText(row),
    forMs !== undefined && `for ${formatDuration(forMs)}`,
  ];
  return present(parts).join(", ") || "-";
}
