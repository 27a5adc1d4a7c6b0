/**
 * The one printer: the verdict, a line for each field, then blocks and tables. It takes the object that `--json`
 * prints, or a choice of it whose keys are the words. What is not known or empty is left out.
 */
import { isObject } from "../../../job/message/json-value.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { joined, toAge, toMinute, toTime } from "../../operations/phrases.ts";
import { toTable } from "./table.ts";
import { wrapText, wrapWords } from "./wrap.ts";

/** Of a list; `--json` has all of it. */
const maxShown = 20;
/** A longer text has a line of its own. */
const maxInline = 30;
/** Of both texts of a change, in one line. */
const maxChange = 70;

/** Fields below the first line, further blocks set off by an empty line. `now`: Unix ms. */
export function toAnswerText(columns: number, verdict: string, answer: object, now: number): string {
  return wrapWords(columns, 0, "", verdict) + toFieldsText(columns, answer, now, 2);
}

/** The same without a verdict. */
export function toFieldsText(columns: number, answer: object, now: number, outermost = 0): string {
  return toFields(answer, outermost);

  function toFields(fields: object, indent: number): string {
    const known = Object.entries(fields).filter(([, value]) => isKnown(value));
    const inLines = known.filter(([, value]) => isLine(value));
    const width = Math.max(...inLines.map(([key]) => toWords(key).length));
    const texts = (some: typeof known): readonly string[] =>
      some.map(([key, value]: [string, unknown]) =>
        toField(key, value, indent, toWords(key).padEnd(width + 2)),
      );
    const lines = texts(inLines).join("");
    const blocks = texts(known.filter(([, value]) => !isLine(value)));
    if (indent > outermost) return lines + blocks.join("");
    return (lines === "" ? blocks : [lines, ...blocks]).join("\n");
  }

  function toField(key: string, value: unknown, indent: number, label: string): string {
    const head = (): string => wrapText(columns, indent, "", label.trimEnd());
    if (Array.isArray(value)) return toList(key, value as readonly unknown[], indent, label, head);
    if (isObject(value)) {
      if (isLine(value)) return wrapWords(columns, indent, label, toItems(value));
      return `${head()}${toFields(value, indent + 2)}`;
    }
    // Some are texts of several lines.
    const lines = toText(key, value, now).split("\n");
    return lines
      .map((line, index) => wrapText(columns, indent, index === 0 ? label : " ".repeat(label.length), line))
      .join("");
  }

  function toList(
    key: string,
    values: readonly unknown[],
    indent: number,
    label: string,
    head: () => string,
  ): string {
    const rows = values.slice(0, maxShown).filter(isObject);
    if (rows.length === 0) return wrapWords(columns, indent, label, toListText(key, values, now));
    const margin = " ".repeat(indent + 2);
    const text = rows.every(isRow)
      ? toRows(columns - indent - 2, rows).replaceAll(/^(?=.)/gm, margin)
      : rows.map((row) => toFields(row, indent + 2)).join("\n");
    const hidden = values.length - rows.length;
    return joined(head(), text, hidden > 0 && `${margin}and ${hidden} more, see --json\n`);
  }

  function toItems(fields: object): string {
    const known = Object.entries(fields).filter(([, value]) => isKnown(value));
    return known.map(([key, value]) => `${toWords(key)} ${toText(key, value, now)}`).join(", ");
  }
}

/** `what: before -> after`, or one below the other if they are long. */
export function toChangeText(what: string, before: string, after: string): string {
  const line = `${what}: ${before} -> ${after}`;
  return line.length <= maxChange ? line : `${what}\n- ${before}\n+ ${after}`;
}

function toListText(key: string, values: readonly unknown[], now: number): string {
  const hidden = values.length - maxShown;
  const shown = values
    .filter(isKnown)
    .slice(0, maxShown)
    .map((one) => toText(key, one, now));
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(", ");
}

function toText(key: string, value: unknown, now: number): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (key.endsWith("Ms")) return formatDuration(value);
  if (!isTime(key, value)) return String(value);
  return `${toTime(value)} (${value > now ? `in ${formatDuration(value - now)}` : `${toAge(value, now)} ago`})`;
}

/** A table with a column for each field that is known of a row. */
export function toRows(width: number, rows: readonly Readonly<Record<string, unknown>>[]): string {
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const keys = all.filter((key) => rows.some((row) => isKnown(row[key])));
  return toTable(
    width,
    rows,
    Object.fromEntries(keys.map((key) => [toWords(key), (row) => toCell(key, row[key])])),
  );
}

function toCell(key: string, value: unknown): string | number {
  if (!isKnown(value)) return "-";
  if (Array.isArray(value)) return toListText(key, value, 0);
  if (typeof value !== "number" || key.endsWith("Ms")) return toText(key, value, 0);
  return isTime(key, value) ? toMinute(value) : value;
}

function isKnown(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  return typeof value !== "object" || Object.values(value).some(isKnown);
}

function isLine(value: unknown): boolean {
  if (Array.isArray(value)) return !value.some(isObject);
  return (
    !isObject(value) || Object.values(value).every((one) => !isKnown(one) || (isScalar(one) && isShort(one)))
  );
}

function isRow(fields: object): boolean {
  return Object.values(fields).every(
    (value) => !isKnown(value) || isScalar(value) || (Array.isArray(value) && value.every(isScalar)),
  );
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function isShort(value: unknown): boolean {
  return typeof value !== "string" || value.length <= maxInline;
}

/** Unix ms, by the names that times have. */
function isTime(key: string, value: number): boolean {
  return value > 1e12 && /(?:At|^at|^since|^until|^from|^to|^first|^last)$/.test(key);
}

/** `lastSuccessAt` is `last success`; names and reasons stay as they are. */
function toWords(key: string): string {
  if (!/^[a-z]+([A-Z][a-z0-9]*)+$/.test(key)) return key;
  const words = key.replace(/(At|Ms)$/, "");
  return words.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
