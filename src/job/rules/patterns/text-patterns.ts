import type { DecimalRange, TextPattern } from "../rule-spec.ts";
import { decimalRange, toComparison } from "./decimal-ranges.ts";
import { definePatterns, listOf, one, type Form } from "./define-patterns.ts";
import type { Parsed } from "../parsed.ts";
import { readComparison, refuseComparison } from "./lookalikes.ts";
import { parseRegex } from "./regex.ts";

const expected =
  "a text (quote it if it looks like a number, true, false or null), a glob with *, none, or one of { regex, prefix, suffix, equals, in, exists }";
const text = { type: "string", minLength: 1 };

export const textForms = {
  regex: { parse: parseRegex, schema: { ...text, description: "RE2 syntax, found anywhere in the text." } },
  prefix: { parse: (value) => parseLiteral(value, "prefix"), schema: text },
  suffix: { parse: (value) => parseLiteral(value, "suffix"), schema: text },
} as const satisfies Readonly<Record<string, Form<TextPattern>>>;

const allForms = {
  ...textForms,
  equals: { parse: parseExact, schema: { ...text, description: "This text as it is: no glob, no none." } },
  in: listOf(parseExact, "a list of texts", text, "One of these texts as they are."),
};

export const textPatterns = definePatterns<TextPattern>({
  id: "textPattern",
  description:
    "Exact, a glob with *, none (absent), { regex | prefix | suffix | equals | in | exists }, or a list (or).",
  examples: ["orders", "*.example.com", "none", { regex: "^ord-[0-9]+$" }, { exists: true }],
  expected,
  parsePlain: (value) => refuseAny(value) ?? parseText(value),
  plain: [text],
  forms: allForms,
});

export const headerPatterns = definePatterns<TextPattern | DecimalRange>({
  id: "headerPattern",
  description:
    "As textPattern, or a comparison (> 5) with a value that is a number: { regex | prefix | suffix | equals | in | range | exists }.",
  examples: ["acme", "application/*", "> 5", { range: "3-7" }, { exists: true }],
  expected: expected
    .replace("none, or", "a comparison (> 5), none, or")
    .replace("in, exists", "in, range, exists"),
  parsePlain: (value) => {
    if (typeof value !== "string") return parseText(value);
    const comparison = toComparison(value);
    return comparison === null ? (refuseComparison(value, "masked") ?? parseText(value)) : one(comparison);
  },
  plain: [text],
  forms: { ...allForms, range: decimalRange },
});

/** What is compared here is never repeated: an address may have a key in it. */
function refuseAny(value: unknown): ReturnType<typeof refuseComparison> {
  const comparison = typeof value === "string" ? readComparison(value) : null;
  if (comparison === null) return null;
  const { operator } = comparison;
  const meant =
    operator === "!=" ? "the text below not" : operator === "=" ? "the text alone" : "a text without < and >";
  return {
    ok: false,
    expected: `${meant}, or { equals: … } if this very text is meant: nothing else is compared here`,
  };
}

export function parseText(
  value: unknown,
): Parsed<readonly Extract<TextPattern, { kind: "exact" | "glob" }>[]> {
  if (typeof value !== "string" || value === "") return { ok: false, expected };
  return one(value.includes("*") ? { kind: "glob", pattern: value } : { kind: "exact", value });
}

function parseExact(value: unknown) {
  return parseLiteral(value, "exact");
}

function parseLiteral<Kind extends "exact" | "prefix" | "suffix">(
  value: unknown,
  kind: Kind,
): Parsed<readonly { readonly kind: Kind; readonly value: string }[]> {
  if (typeof value !== "string" || value === "") {
    return { ok: false, expected: "a text, quote it if it looks like a number, true, false or null" };
  }
  return one({ kind, value });
}
