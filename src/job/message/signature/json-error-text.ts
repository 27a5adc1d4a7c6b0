import { isObject, parseJson } from "../json-value.ts";
import { looksSecret } from "../secret-looking.ts";
import { normaliseText, withoutLastWord } from "./normalise-text.ts";

const fields = ["error", "code", "title", "message", "detail"] as const;
type Field = (typeof fields)[number];
type Found = Map<Field, string>;

const wrappers = ["error", "errors", "detail"] as const;
const maxDepth = 3;
const maxNames = 8;
/** The number of characters, or escapes, that `search` takes of a string. */
const maxQuoted = 300;

/**
 * `invalid_request: <n> items refused`; without any such field, the names of its members. Null for no JSON. A
 * `code` that a person can read (E1001, not_found) is kept. `isWhole`: else it is searched, not parsed.
 */
export function jsonErrorText(text: string, isWhole: boolean): string | null {
  if (!isWhole) return toText(search(text)) ?? (/^[{[]\s*["{[]/.test(text) ? "(json)" : null);
  const value = parseJson(text);
  if (value === undefined) return null;
  if (typeof value === "string") return normaliseText(value) || "(empty)";
  const found: Found = new Map();
  collect(value, found, 0);
  return toText(found) ?? describeMembers(value);
}

function collect(value: unknown, found: Found, depth: number): void {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one !== "object" || one === null) return;
  for (const field of fields) {
    if (found.has(field)) continue;
    const said = Object.hasOwn(one, field) ? toSaid(field, (one as Record<string, unknown>)[field]) : "";
    if (said !== "") found.set(field, said);
  }
  if (depth === maxDepth) return;
  for (const wrapper of wrappers) {
    if (Object.hasOwn(one, wrapper)) collect((one as Record<string, unknown>)[wrapper], found, depth + 1);
  }
}

function search(text: string): Found {
  const found: Found = new Map();
  const pattern =
    /"(error|code|title|message|detail)"\s{0,20}:\s{0,20}(?:"((?:[^"\\]|\\.){0,300})|(-?\d{1,20})(?![\d.eE]))/g;
  for (const [, name, quoted, digits] of text.matchAll(pattern)) {
    const field = name as Field;
    const whole = unescaped(quoted ?? "");
    const isCut = quoted !== undefined && quoted.length >= maxQuoted;
    const said = toSaid(
      field,
      quoted === undefined ? Number(digits) : isCut ? withoutLastWord(whole) : whole,
    );
    if (said !== "" && !found.has(field)) found.set(field, said);
  }
  return found;
}

function toSaid(field: Field, value: unknown): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  return field === "code" && isReadableCode(text) ? text : normaliseText(text);
}

/** A short number, or words with one behind them, none of which could be a token. */
function isReadableCode(text: string): boolean {
  if (text.length > 40 || looksSecret(text)) return false;
  if (/^\d{1,6}$/.test(text)) return true;
  const words = /^([A-Za-z]+(?:[._-][A-Za-z]+)*)[._-]?\d{0,5}$/.exec(text)?.[1];
  return words !== undefined && normaliseText(words) === words;
}

function toText(found: Found): string | null {
  const said = fields.flatMap((field) => found.get(field) ?? []);
  return said.length < 2 ? (said[0] ?? null) : [...new Set(said)].join(": ");
}

function describeMembers(value: unknown): string {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  const names = isObject(one) ? Object.keys(one).filter((name) => /^[A-Za-z_]{1,20}$/.test(name)) : [];
  return names.length === 0
    ? "(json)"
    : `(json: ${names.toSorted().slice(0, maxNames).map(normaliseText).join(", ")})`;
}

function unescaped(quoted: string): string {
  const text = parseJson(`"${quoted}"`);
  return typeof text === "string" ? text : quoted;
}
