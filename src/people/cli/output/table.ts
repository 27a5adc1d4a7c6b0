import { toSpelledOut } from "../../../job/message/show-masked-values.ts";
import type { CountedSoFar } from "../../read/totals.ts";
import { cutMiddle } from "../../operations/destination-text.ts";
import { wrapText } from "./wrap.ts";

/** Rows of a table are all in memory before the first is printed. */
export const tableLimit = 100;

type Columns<Row> = Readonly<Record<string, (row: Row) => string | number>>;
type Column = ReturnType<typeof toColumn>;

/** A longer cell moves the rest of its own row, and no other. */
const maxPadded = 80;
/** A stranger may have chosen it: a longer one has its middle left out. The last column has texts, which stay whole. */
const maxCell = 200;
/** A name is cut to so much before columns go below. */
const minName = 28;
/** Of a table with one line for each row. */
const leastName = 12;
/** A last column with less room for its texts goes below. */
const minWrapped = 30;

/**
 * A header and a line for each row, cells padded to the widest of their column, two spaces apart. Columns of
 * numbers end at the right; `-` in them is no number known. What a terminal would act on is spelled out.
 * In a window that is too narrow, columns without news are left out, and the texts of the last one are broken if there is
 * room for them. Else as many columns from the right as must stand below their row, and so does a name that was cut.
 * Ends with a newline.
 */
export function toTable<Row>(width: number, rows: readonly Row[], columns: Columns<Row>): string {
  const [name, ...all] = toColumns(rows, columns);
  if (name === undefined) return "";
  const others = toWidth([name, ...all]) <= width ? all : all.filter(({ cells }) => cells.some(isNews));
  const wrapped = toWrapped(width, [name, ...others]);
  if (wrapped !== null) return wrapped;
  const below: Column[] = [];
  const least = Math.min(name.width, minName);
  while (others.length > 0 && least + toWidth(["", ...others]) > width) below.unshift(others.pop()!);
  const shown = cutTo(name, width - toWidth(["", ...others]));
  const [head = "", ...lines] = toLines([shown, ...others]);
  const texts = lines.map((line, row) => {
    const isCut = shown.texts[row] !== name.texts[row];
    const parts = (isCut ? [name, ...below] : below).flatMap(({ name: of, cells, texts: shortened }) =>
      isNews(cells[row] ?? "-") ? [`${of} ${shortened[row]}`] : [],
    );
    return parts.length === 0 ? line : line + wrapText(width, 4, "", parts.join("; "));
  });
  return head + texts.join("");
}

/** The same with one line for each row: the name is cut to the room that the others leave. */
export function toTableOfLines<Row>(width: number, rows: readonly Row[], columns: Columns<Row>): string {
  const [name, ...others] = toColumns(rows, columns);
  if (name === undefined) return "";
  return toLines([cutTo(name, width - toWidth(["", ...others])), ...others]).join("");
}

/** Null: the last column is none of texts, or has no room. */
function toWrapped(width: number, columns: readonly Column[]): string | null {
  const last = columns.at(-1);
  const before = columns.slice(0, -1);
  const indent = toWidth([...before, ""]);
  if (last === undefined || last.isRight || indent + Math.min(minWrapped, last.width) > width) return null;
  const heads = toLines(before).map((line) => line.trimEnd().padEnd(indent));
  return [last.name, ...last.texts].map((text, row) => wrapText(width, 0, heads[row] ?? "", text)).join("");
}

function toColumns<Row>(rows: readonly Row[], columns: Columns<Row>): readonly Column[] {
  const all = Object.entries(columns);
  return all.map(([name, of], index) =>
    toColumn(name, rows.map(of), index > 0 && index === all.length - 1 ? Infinity : maxCell),
  );
}

function cutTo(name: Column, room: number): Column {
  const max = Math.max(leastName, room);
  const cells = name.cells.map((cell, row) =>
    typeof cell === "number" ? cell : cutMiddle(name.texts[row] ?? "", max),
  );
  return toColumn(name.name, cells);
}

function toColumn(name: string, cells: readonly (string | number)[], max = maxCell) {
  const texts = cells.map((cell) => cutMiddle(toSpelledOut(String(cell)), max));
  const isRight = texts.every((text) => /^(?:-|(?:<=)?[\d.]+\+?)$/.test(text)) && cells.some(isNumber);
  const width = Math.max(...[name, ...texts].map((text) => Math.min(maxPadded, text.length)));
  return { name, cells, texts, isRight, width };
}

/** `480+` and `<=480` too. A text of digits is a name. */
function isNumber(cell: string | number): boolean {
  return typeof cell === "number" || /^<=|\+$/.test(cell);
}

function isNews(cell: string | number): boolean {
  return cell !== "-" && cell !== 0;
}

/** With two spaces before each but the first. */
function toWidth(columns: readonly (Column | "")[]): number {
  return columns.reduce((sum, column) => sum + 2 + (column === "" ? 0 : column.width), -2);
}

function toLines(columns: readonly Column[]): readonly string[] {
  const toLine = (textOf: (column: Column) => string): string => {
    const cells = columns.map((column) =>
      column.isRight ? textOf(column).padStart(column.width) : textOf(column).padEnd(column.width),
    );
    return `${cells.join("  ").trimEnd()}\n`;
  };
  const rows = columns[0]?.texts ?? [];
  return [toLine(({ name }) => name), ...rows.map((_, row) => toLine(({ texts }) => texts[row] ?? ""))];
}

/** `480+`: at least so many; `<=480`: at most. */
export function toCount(count: number, { stillCounting, expiredSince }: CountedSoFar): number | string {
  if (count === 0) return stillCounting ? "-" : 0;
  if (expiredSince !== undefined) return stillCounting ? `${count}+, less expired` : `<=${count}`;
  return stillCounting ? `${count}+` : count;
}
