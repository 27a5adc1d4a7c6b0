import type { ValuePattern } from "../rule-spec.ts";
import { definePatterns, listOf, one, type PatternParser } from "./define-patterns.ts";
import type { Parsed } from "../parsed.ts";
import { parseText, textForms } from "./text-patterns.ts";

const expected =
  "a text, a number, true, false, null, a comparison (< 3), none, or one of { equals, in, range, regex, prefix, suffix, exists }";
const scalar = { type: ["string", "number", "boolean", "null"] };

const number = String.raw`-?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,2})?`;
const comparisonForm = new RegExp(`^(<=?|>=?)\\s*(${number})$`);
const rangeForm = new RegExp(`^\\s*(${number})\\s*-\\s*(${number})\\s*$`);

/** Texts are compared with texts, numbers and comparisons with numbers; `none`: no value at the pointer. */
export const valuePatterns = definePatterns<ValuePattern>({
  id: "valuePattern",
  description:
    "A text, a number, true, false, null, < 3, none (absent), { equals | in | range | regex | prefix | suffix | exists }, or a list (or).",
  examples: ["acme", 3, true, "< 3", { range: "3-7" }],
  expected,
  parsePlain: (value) => {
    if (typeof value !== "string") return parseEqual(value);
    const comparison = toComparison(value.trim());
    return comparison === null ? asText(parseText)(value) : one(comparison);
  },
  plain: [scalar],
  forms: {
    equals: { parse: parseEqual, schema: scalar },
    in: listOf(parseEqual, "a list of values", scalar),
    range: { parse: parseRange, schema: { type: "string", examples: ["3-7"] } },
    regex: { ...textForms.regex, parse: asText(textForms.regex.parse) },
    prefix: { ...textForms.prefix, parse: asText(textForms.prefix.parse) },
    suffix: { ...textForms.suffix, parse: asText(textForms.suffix.parse) },
  },
});

/** A number that JSON readers do not agree on is refused: it would match its neighbours. */
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
  const [, from, to] = (typeof value === "string" ? rangeForm.exec(value) : null) ?? [];
  if (from === undefined || Number(from) > Number(to)) {
    return { ok: false, expected: "a range of numbers such as 3-7" };
  }
  return one({ kind: "number", from: Number(from), to: Number(to), openFrom: false, openTo: false });
}

function toComparison(text: string): ValuePattern | null {
  const [, operator, bound] = comparisonForm.exec(text) ?? [];
  if (operator === undefined) return null;
  const at = Number(bound);
  return operator.startsWith("<")
    ? { kind: "number", from: Number.NEGATIVE_INFINITY, to: at, openFrom: true, openTo: operator === "<" }
    : { kind: "number", from: at, to: Number.POSITIVE_INFINITY, openFrom: operator === ">", openTo: true };
}

type InnerText = Extract<ValuePattern, { kind: "text" }>["pattern"];

function asText(parse: PatternParser<InnerText>): PatternParser<ValuePattern> {
  return (value) => {
    const parsed = parse(value);
    return parsed.ok
      ? { ok: true, value: parsed.value.map((pattern) => ({ kind: "text", pattern })) }
      : parsed;
  };
}
