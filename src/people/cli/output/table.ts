import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { cut } from "../../operations/phrases.ts";
import { wrapText } from "./wrap.ts";

/** Rows of a table are all in memory before the first is printed. */
export const tableLimit = 100;

type Columns<Row> = Readonly<Record<string, (row: Row) => string | number>>;

/** A longer cell moves the rest of its own row, and no other. */
const maxPadded = 80;

/**
 * A header and a line for each row, cells padded to the widest of their column, two spaces apart. Columns of
 * numbers end at the right; `-` in them is no number known. A cell is printable, and at most 200 characters.
 * Ends with a newline.
 */
export function toTable<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const cells = rows.map((row) => Object.values(columns).map((toCell) => toCell(row)));
  return toLines([Object.keys(columns), ...cells], (column) => {
    const own = cells.map((row) => row[column]);
    const numbers = own.filter((cell) => typeof cell === "number").length;
    return numbers > 0 && numbers + own.filter((cell) => cell === "-").length === own.length;
  });
}

/** The same, with a text of any length below each row, broken at so many columns. */
export function toTableWithTexts<Row>(
  width: number,
  rows: readonly Row[],
  columns: Columns<Row>,
  toText: (row: Row) => string,
): string {
  const [head = "", ...lines] = toTable(rows, columns).trimEnd().split("\n");
  const texts = rows.map((row, index) => `${lines[index] ?? ""}\n${wrapText(width, 4, "", toText(row))}`);
  return `${head}\n${texts.join("")}`;
}

/**
 * A line for each row. On a terminal it has the columns that are `kept`, cut at so many characters; the others, and what
 * was cut, stand below it with their names, but for what is not known. Times are to the second there.
 */
export function toFittingTable<Row>(
  width: number,
  rows: readonly Row[],
  columns: Columns<Row>,
  kept: Readonly<Record<string, number>>,
): string {
  if (rows.length === 0 || !Number.isFinite(width)) return toTable(rows, columns);
  const cellOf = (row: Row, name: string): string =>
    String(columns[name]?.(row) ?? "-").replace(/(?<=T\d\d:\d\d:\d\d)\.\d+Z$/, "Z");
  const short = Object.entries(kept).map(([name, max]) => [
    name,
    (row: Row) => {
      const cell = columns[name]?.(row);
      return typeof cell === "number" ? cell : cut(cellOf(row, name), max);
    },
  ]);
  return toTableWithTexts(width, rows, Object.fromEntries(short) as Columns<Row>, (row) =>
    Object.keys(columns)
      .map((name) => [name, cellOf(row, name)] as const)
      .filter(([name, cell]) => cell !== "-" && cell.length > (kept[name] ?? 0))
      .map(([name, cell]) => `${name} ${cell}`)
      .join("; "),
  );
}

/** Shorter names say too little. */
const minName = 12;

/**
 * How many characters the names of a table may have, so that its widest line fits, if it can. `toText` makes it
 * with names of at most so many, all in one column.
 */
export function fittingName(columns: number, toText: (maxName: number) => string): number {
  if (toWidth(toText(Infinity)) <= columns) return Infinity;
  return Math.max(minName, columns - toWidth(toText(minName)) + minName);
}

/** The table with such names. */
export function fitted(columns: number, toText: (maxName: number) => string): string {
  return toText(fittingName(columns, toText));
}

/** Labels and their values, one pair or several in a line. */
export function toFields(fields: readonly (readonly string[])[]): string {
  return toLines(fields, () => false);
}

function toLines(
  foreign: readonly (readonly (string | number)[])[],
  isRight: (column: number) => boolean,
): string {
  const rows = foreign.map((row) => row.map((cell) => toPrintable(String(cell))));
  const pads = (rows[0] ?? []).map((_, column) => {
    const width = Math.max(...rows.map((row) => Math.min(maxPadded, (row[column] ?? "").length)));
    const isRightHere = isRight(column);
    return (cell: string) => (isRightHere ? cell.padStart(width) : cell.padEnd(width));
  });
  const toLine = (row: readonly string[]): string =>
    row.map((cell, column) => pads[column]?.(cell) ?? "").join("  ");
  return rows.map((row) => `${toLine(row).trimEnd()}\n`).join("");
}

/** Of its widest line. */
export function toWidth(text: string): number {
  return Math.max(...text.split("\n").map((line) => Array.from(line).length));
}

/** `480+`: at least so many. */
export function toCount(count: number, stillCounting: boolean): number | string {
  if (!stillCounting) return count;
  return count === 0 ? "-" : `${count}+`;
}
