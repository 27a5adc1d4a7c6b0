import { toDestinationText } from "../../operations/destination-text.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { ActRow } from "../../operations/history/act-rows.ts";
import { reasonText, toActNotes, toAllOf } from "../../operations/history/rows.ts";
import { present, toSecond } from "../../operations/phrases.ts";
import type { TopCounted } from "../../plan/top-count.ts";

/** The columns of the table. */
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
