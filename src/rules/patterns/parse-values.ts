import { isObject } from "../../message/json-value.ts";
import { one, parseEach, parseExists, parseForm, parseOneOrMany, type Forms, type Parsed } from "./parsed.ts";
import { parseLiteral, parseTextPattern } from "./parse-texts.ts";
import { parseRegex } from "./regex.ts";
import type { TextPattern, ValuePattern } from "../spec.ts";

const expected =
  "a text, a number, true, false, null, a comparison (< 3), none, or one of { equals, in, range, regex, prefix, suffix, exists }";

const number = String.raw`-?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,2})?`;

/**
 * Patterns for a value inside JSON. A text is compared with texts (exact, or a glob if it contains `*`), a number with numbers,
 * `true`, `false` and `null` with themselves; `"< 3"` and `{ range: "3-7" }` hold for numbers; `none` is a pointer to nothing.
 */
export function parseValuePatterns(value: unknown): Parsed<readonly ValuePattern[]> {
  return parseOneOrMany(value, parseValuePattern, expected);
}

function parseValuePattern(value: unknown): Parsed<readonly ValuePattern[]> {
  if (isObject(value)) return parseForm(value, valueForms);
  if (typeof value !== "string") return parseEqual(value);
  const comparison = toComparison(value.trim());
  return comparison === null ? asText(parseTextPattern(value)) : one(comparison);
}

const valueForms: Forms<ValuePattern> = {
  equals: parseEqual,
  in: (value: unknown) =>
    Array.isArray(value) && value.length > 0
      ? parseEach(value, parseEqual)
      : { ok: false, expected: "a list of values" },
  range: parseRange,
  regex: (value: unknown) => asText(parseRegex(value)),
  prefix: (value: unknown) => asText(parseLiteral(value, "prefix")),
  suffix: (value: unknown) => asText(parseLiteral(value, "suffix")),
  exists: parseExists,
};

/** The value as it is written. A number that JSON readers do not agree on is refused: it would match its neighbours. */
function parseEqual(value: unknown): Parsed<readonly ValuePattern[]> {
  if (value === null || typeof value === "boolean") return one({ kind: "literal", value });
  if (typeof value === "string") return one({ kind: "text", pattern: { kind: "exact", value } });
  if (typeof value !== "number") return { ok: false, expected };
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return { ok: false, expected: "a number between -(2^53 - 1) and 2^53 - 1, which JSON keeps exactly" };
  }
  return one({ kind: "number", from: value, to: value, openFrom: false, openTo: false });
}

function parseRange(value: unknown): Parsed<readonly ValuePattern[]> {
  const [, from, to] =
    (typeof value === "string"
      ? new RegExp(`^\\s*(${number})\\s*-\\s*(${number})\\s*$`).exec(value)
      : null) ?? [];
  if (from === undefined || Number(from) > Number(to)) {
    return { ok: false, expected: "a range of numbers such as 3-7" };
  }
  return one({ kind: "number", from: Number(from), to: Number(to), openFrom: false, openTo: false });
}

const comparisonForm = new RegExp(`^(<=?|>=?)\\s*(${number})$`);

function toComparison(text: string): ValuePattern | null {
  const [, operator, bound] = comparisonForm.exec(text) ?? [];
  if (operator === undefined) return null;
  const at = Number(bound);
  return operator.startsWith("<")
    ? { kind: "number", from: Number.NEGATIVE_INFINITY, to: at, openFrom: true, openTo: operator === "<" }
    : { kind: "number", from: at, to: Number.POSITIVE_INFINITY, openFrom: operator === ">", openTo: true };
}

function asText(parsed: Parsed<readonly TextPattern[]>): Parsed<readonly ValuePattern[]> {
  if (!parsed.ok) return parsed;
  return {
    ok: true,
    value: parsed.value.map((pattern): ValuePattern =>
      pattern.kind === "some" || pattern.kind === "none" ? pattern : { kind: "text", pattern },
    ),
  };
}
