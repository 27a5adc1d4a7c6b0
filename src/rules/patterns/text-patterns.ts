import type { TextPattern } from "../rule-spec.ts";
import { definePatterns, listOf, one, type Form } from "./define-patterns.ts";
import type { Parsed } from "../parsed.ts";
import { parseRegex } from "./regex.ts";

const expected =
  "a text (quote it if it looks like a number, true, false or null), a glob with *, none, or one of { regex, prefix, suffix, equals, in, exists }";
const text = { type: "string", minLength: 1 };

/** The common forms of texts, and of texts inside JSON. */
export const textForms = {
  regex: {
    parse: parseRegex,
    schema: { ...text, description: "RE2 syntax, found anywhere in the text." },
  },
  prefix: { parse: (value) => parseLiteral(value, "prefix"), schema: text },
  suffix: { parse: (value) => parseLiteral(value, "suffix"), schema: text },
} as const satisfies Readonly<Record<string, Form<TextPattern>>>;

/** Numbers have to be quoted. */
export const textPatterns = definePatterns<TextPattern>({
  id: "textPattern",
  description:
    "Exact, a glob with *, none (absent), { regex | prefix | suffix | equals | in | exists }, or a list (or).",
  examples: ["orders", "*.example.com", "none", { regex: "^ord-[0-9]+$" }, { exists: true }],
  expected,
  parsePlain: parseText,
  plain: [text],
  forms: {
    ...textForms,
    equals: {
      parse: parseExact,
      schema: { ...text, description: "This text as it is: no glob, no none." },
    },
    in: listOf(parseExact, "a list of texts", text, "One of these texts as they are."),
  },
});

export function parseText(
  value: unknown,
): Parsed<readonly Extract<TextPattern, { kind: "exact" | "glob" }>[]> {
  if (typeof value !== "string" || value === "") return { ok: false, expected };
  return one(value.includes("*") ? { kind: "glob", pattern: value } : { kind: "exact", value });
}

function parseExact(value: unknown) {
  return parseLiteral(value, "exact");
}

/** A text as it is written: no glob, no `none`. */
function parseLiteral<Kind extends "exact" | "prefix" | "suffix">(
  value: unknown,
  kind: Kind,
): Parsed<readonly { readonly kind: Kind; readonly value: string }[]> {
  if (typeof value !== "string" || value === "") {
    return { ok: false, expected: "a text, quote it if it looks like a number, true, false or null" };
  }
  return one({ kind, value });
}
