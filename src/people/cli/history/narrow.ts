/** Tables of history that fit a terminal: what does not fit into a row stands below it. */
import { cut, present } from "../../operations/phrases.ts";
import { toTable, toTableWithTexts } from "../output/table.ts";
import type { ActRow } from "../../operations/history/act-rows.ts";
import { actColumns } from "./act-columns.ts";
import { historyColumns, withProofs, type HistoryRow } from "../../operations/history/rows.ts";

type ToCell<Row> = (row: Row) => string | number;

/** A time of 20, an act of 12 and a `dlqId` of 20 leave this for a drain, or for a drain and a rule. */
const maxDrain = 14;
const maxRule = 16;

export function toActTable(width: number, rows: readonly ActRow[]): string {
  if (!Number.isFinite(width)) return toTable(rows, actColumns);
  const { when, act, count, drain, rule, reason, host, notes, why, by } = actColumns;
  const columns = {
    when: toSeconds(when),
    act,
    count,
    drain: (row: ActRow) => cut(drain(row), maxDrain),
    rule: (row: ActRow) => cut(rule(row), maxRule),
  };
  return toTableWithTexts(width, rows, columns, toText<ActRow>([host, reason, notes], { why, by }));
}

export function toRecordTable(width: number, rows: readonly HistoryRow[]): string {
  const proven = withProofs(rows);
  if (!Number.isFinite(width)) return toTable(proven, historyColumns);
  const { when, act, dlqId, drain, rule, reason, notes, why, by, as } = historyColumns;
  const columns = {
    when: toSeconds(when),
    act,
    dlqId,
    drain: (row: HistoryRow) => cut(drain(row), maxDrain),
  };
  return toTableWithTexts(
    width,
    proven,
    columns,
    toText<(typeof proven)[number]>([reason, notes], { rule, why, as, by }),
  );
}

/** Without those that are not known; `named` with their names. */
function toText<Row>(plain: readonly ToCell<Row>[], named: Readonly<Record<string, ToCell<Row>>>) {
  return (row: Row): string => {
    const cellOf = (toCell: ToCell<Row>): string => {
      const cell = String(toCell(row));
      return cell === "-" ? "" : cell;
    };
    const names = Object.entries(named).map(([name, toCell]) => {
      const cell = cellOf(toCell);
      return cell === "" ? "" : `${name} ${cell}`;
    });
    return present([...plain.map(cellOf), ...names]).join("; ");
  };
}

/** `2026-11-26T18:25:06Z` */
function toSeconds<Row>(when: (row: Row) => string): (row: Row) => string {
  return (row) => when(row).replace(/\.\d+Z$/, "Z");
}
