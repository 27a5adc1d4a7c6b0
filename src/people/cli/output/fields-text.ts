/**
 * A command's answer for a person, from the object that `--json` prints: a line for each field, a table for a list of
 * objects. What is not known or empty is left out. Times are in UTC.
 */
import { isObject } from "../../../job/message/json-value.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toAge, toMinute, toTime } from "../../operations/phrases.ts";
import { toTable, toWidth } from "./table.ts";
import { wrapText, wrapWords } from "./wrap.ts";

/** Of a list; `--json` has all of it. */
const maxShown = 20;

/** `now`: Unix ms. */
export function toFieldsText(columns: number, answer: object, now: number): string {
  return toFields(answer, 0);

  function toFields(fields: object, indent: number): string {
    const known = Object.entries(fields).filter(([, value]) => isKnown(value));
    const width = Math.max(...known.map(([key]) => toWords(key).length)) + 2;
    return known
      .map(([key, value]: [string, unknown]) => toField(key, value, indent, toWords(key).padEnd(width)))
      .join("");
  }

  function toField(key: string, value: unknown, indent: number, label: string): string {
    if (Array.isArray(value)) return toList(key, value as readonly unknown[], indent, label);
    if (isObject(value)) {
      if (isFlat(value)) return wrapWords(columns, indent, label, toItems(value));
      return `${" ".repeat(indent)}${label.trimEnd()}\n${toFields(value, indent + 2)}`;
    }
    // Some are texts of several lines.
    const lines = toText(key, value, now).split("\n");
    return lines
      .map((line, index) => wrapText(columns, indent, index === 0 ? label : " ".repeat(label.length), line))
      .join("");
  }

  function toList(key: string, values: readonly unknown[], indent: number, label: string): string {
    const shown = values.slice(0, maxShown);
    const hidden = values.length - shown.length;
    const more = hidden > 0 ? `${" ".repeat(indent + 2)}and ${hidden} more, see --json\n` : "";
    const head = `${" ".repeat(indent)}${label.trimEnd()}\n`;
    const rows = shown.filter(isObject);
    if (rows.length < shown.length) {
      return wrapWords(columns, indent, label, shown.map((one) => toText(key, one, now)).join(", ")) + more;
    }
    const table = rows.every(isFlat) ? indented(indent + 2, toRows(rows)) : null;
    if (table !== null && toWidth(table) <= columns) return `${head}${table}${more}`;
    const blocks = rows.map((row) =>
      isFlat(row) ? wrapWords(columns, indent + 2, "- ", toItems(row)) : toFields(row, indent + 2),
    );
    return `${head}${blocks.join(rows.every(isFlat) ? "" : "\n")}${more}`;
  }

  function toItems(fields: object): string {
    const known = Object.entries(fields).filter(([, value]) => isKnown(value));
    return known.map(([key, value]) => `${toWords(key)} ${toText(key, value, now)}`).join(", ");
  }
}

function toText(key: string, value: unknown, now: number): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  if (key.endsWith("Ms")) return formatDuration(value);
  if (!isTime(key, value)) return String(value);
  return `${toTime(value)} (${value > now ? `in ${formatDuration(value - now)}` : `${toAge(value, now)} ago`})`;
}

type Row = Readonly<Record<string, unknown>>;

function toRows(rows: readonly Row[]): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => isKnown(row[key]))))];
  return toTable(rows, Object.fromEntries(keys.map((key) => [toWords(key), (row) => toCell(key, row[key])])));
}

function toCell(key: string, value: unknown): string | number {
  if (!isKnown(value)) return "-";
  if (typeof value !== "number" || key.endsWith("Ms")) return toText(key, value, 0);
  return isTime(key, value) ? toMinute(value) : value;
}

function indented(indent: number, text: string): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(indent));
}

function isKnown(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  return typeof value !== "object" || Object.values(value).some(isKnown);
}

function isFlat(fields: object): boolean {
  return Object.values(fields).every((value) => typeof value !== "object" || !isKnown(value));
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
