import { isObject } from "../../message/json-value.ts";
import { one, parseEach, parseExists, parseForm, parseOneOrMany, type Forms, type Parsed } from "./parsed.ts";
import { parseRegex } from "./regex.ts";
import type { TextPattern } from "../spec.ts";

const expected =
  "a text (in quotes where it looks like a number), a glob with *, none, or one of { regex, prefix, suffix, equals, in, exists }";

/**
 * An exact text, a glob if it contains `*`, `none` for an absent field, a mapping `{ regex | prefix | suffix | equals | in |
 * exists: … }`, or a list of them. Numbers have to be quoted.
 */
export function parseTextPatterns(value: unknown): Parsed<readonly TextPattern[]> {
  return parseOneOrMany(value, parseTextPattern, expected);
}

export function parseTextPattern(value: unknown): Parsed<readonly TextPattern[]> {
  if (isObject(value)) return parseForm(value, textForms);
  if (typeof value !== "string" || value === "") return { ok: false, expected };
  if (value === "none") return one({ kind: "none" });
  return one(value.includes("*") ? { kind: "glob", pattern: value } : { kind: "exact", value });
}

const textForms: Forms<TextPattern> = {
  regex: parseRegex,
  prefix: (value: unknown) => parseLiteral(value, "prefix"),
  suffix: (value: unknown) => parseLiteral(value, "suffix"),
  equals: (value: unknown) => parseLiteral(value, "exact"),
  in: (value: unknown) =>
    Array.isArray(value) && value.length > 0
      ? parseEach(value, (member) => parseLiteral(member, "exact"))
      : { ok: false, expected: "a list of texts" },
  exists: parseExists,
};

/** A text as it is written: no glob, no `none`. */
export function parseLiteral(
  value: unknown,
  kind: "exact" | "prefix" | "suffix",
): Parsed<readonly Extract<TextPattern, { kind: "exact" | "prefix" | "suffix" }>[]> {
  if (typeof value !== "string" || value === "") {
    return { ok: false, expected: "a text, in quotes where it looks like a number" };
  }
  return one({ kind, value });
}
