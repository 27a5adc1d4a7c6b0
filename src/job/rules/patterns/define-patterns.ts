/**
 * A value is one pattern, or a list of them (or). A pattern is plain (`503`, `*.example.com`), the word `none`,
 * or a mapping with one form (`{ prefix: … }`). Parser and JSON Schema follow from each kind's own part.
 */
import { isObject } from "../../message/json-value.ts";
import { mismatchesOf, parseEach, type Parsed } from "../parsed.ts";
import type { Presence } from "../rule-spec.ts";

export type PatternParser<Pattern> = (value: unknown) => Parsed<readonly Pattern[]>;

export interface Form<Pattern> {
  readonly parse: PatternParser<Pattern>;
  readonly schema: Readonly<Record<string, unknown>>;
}
type Forms<Pattern> = Readonly<Record<string, Form<Pattern>>>;

export interface PatternKind<Pattern> {
  readonly parse: PatternParser<Pattern>;
  readonly forms: readonly string[];
  /** JSON Schema under a name that all fields share. It takes at least what `parse` takes. */
  readonly schema: Readonly<Record<string, unknown>> & { readonly anyOf: readonly object[] };
}

export interface PatternGrammar<Pattern> {
  readonly id: string;
  readonly description: string;
  readonly examples: readonly unknown[];
  readonly expected: string;
  readonly parsePlain: PatternParser<Pattern>;
  readonly plain: readonly object[];
  /** The forms beside `exists`. Null: the field is always there, so there are no forms and no word `none`. */
  readonly forms: Forms<Pattern> | null;
}

export function definePatterns<Pattern>(
  grammar: PatternGrammar<Pattern | Presence>,
): PatternKind<Pattern | Presence> {
  const { id, description, examples, expected, parsePlain, plain, forms } = grammar;
  const allForms = forms === null ? null : { ...forms, exists };
  const parseOne = (value: unknown): Parsed<readonly (Pattern | Presence)[]> => {
    if (allForms === null) return parsePlain(value);
    if (value === "none") return one({ kind: "none" });
    return isObject(value) ? parseForm(value, allForms) : parsePlain(value);
  };
  const members = [...plain, ...(allForms === null ? [] : [toSchema(allForms)])];
  const list = { type: "array", items: { anyOf: members }, minItems: 1, maxItems: 1_000 };
  return {
    parse: (value) => {
      if (!Array.isArray(value)) return parseOne(value);
      if (value.length === 0) return { ok: false, expected: `${expected}, or a list of at least one` };
      return parseEach(value, parseOne);
    },
    forms: Object.keys(allForms ?? {}),
    schema: { id, description, examples, anyOf: [...members, list] },
  };
}

export function one<Pattern>(pattern: Pattern): Parsed<readonly Pattern[]> {
  return { ok: true, value: [pattern] };
}

/** The form `in`: a list of at least one. */
export function listOf<Pattern>(
  parseMember: PatternParser<Pattern>,
  expected: string,
  items: object,
  description?: string,
): Form<Pattern> {
  return {
    parse: (value) =>
      Array.isArray(value) && value.length > 0 ? parseEach(value, parseMember) : { ok: false, expected },
    schema: { type: "array", items, minItems: 1, ...(description === undefined ? {} : { description }) },
  };
}

const exists: Form<Presence> = {
  parse: (value) =>
    typeof value === "boolean"
      ? one({ kind: value ? "some" : "none" })
      : { ok: false, expected: "true or false" },
  schema: { type: "boolean" },
};

function parseForm<Pattern>(
  value: Readonly<Record<string, unknown>>,
  forms: Forms<Pattern>,
): Parsed<readonly Pattern[]> {
  const [key, ...others] = Object.keys(value);
  const form = key !== undefined && Object.hasOwn(forms, key) ? forms[key] : undefined;
  if (key === undefined || others.length > 0 || form === undefined) {
    return { ok: false, expected: `a mapping with exactly one of ${Object.keys(forms).join(", ")}` };
  }
  const parsed = form.parse(value[key]);
  if (parsed.ok) return parsed;
  const [first, ...also] = mismatchesOf(parsed, key);
  return { ok: false, expected: first?.expected ?? "", at: first?.at ?? [], also };
}

function toSchema(forms: Forms<unknown>): object {
  return {
    type: "object",
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: Object.fromEntries(Object.entries(forms).map(([name, { schema }]) => [name, schema])),
  };
}
