import type { ValuePattern } from "../rule-spec.ts";
import { decimalRange, toComparison } from "./decimal-ranges.ts";
import { definePatterns, listOf, one, type PatternParser } from "./define-patterns.ts";
import type { Parsed } from "../parsed.ts";
import { refuseComparison } from "./lookalikes.ts";
import { parseText, textForms } from "./text-patterns.ts";

const expected =
  "a text, a number, true, false, null, a comparison (< 3), none, or one of { equals, in, range, regex, prefix, suffix, exists }";
const scalar = { type: ["string", "number", "boolean", "null"] };

/** Texts are compared with texts, numbers and comparisons with numbers; `none`: no value at the pointer. */
export const valuePatterns = definePatterns<ValuePattern>({
  id: "valuePattern",
  description:
    "A text, a number, true, false, null, < 3, none (absent), { equals | in | range | regex | prefix | suffix | exists }, or a list (or).",
  examples: ["acme", 3, true, "< 3", { range: "3-7" }],
  expected,
  parsePlain: (value) => {
    if (typeof value !== "string") return parseEqual(value);
    const comparison = toComparison(value);
    if (comparison !== null) return one(comparison);
    return refuseComparison(value, "shown") ?? asText(parseText)(value);
  },
  plain: [scalar],
  forms: {
    equals: { parse: parseEqual, schema: scalar },
    in: listOf(parseEqual, "a list of values", scalar),
    range: decimalRange,
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
    const exactly = "a number between -(2^53 - 1) and 2^53 - 1, which JSON keeps exactly";
    return {
      ok: false,
      expected: `${exactly}, or of a larger one { range: 9007199254740993-9007199254740993 }`,
    };
  }
  return one({ kind: "number", from: value, to: value, openFrom: false, openTo: false });
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
