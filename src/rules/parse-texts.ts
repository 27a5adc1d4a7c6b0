import { parseOneOrMany, type Parsed } from "./parsed.ts";
import type { TextPattern } from "./spec.ts";

/** An exact text, a glob if it contains `*`, `none` for an absent field, or a list of them. Numbers have to be quoted. */
export function parseTextPatterns(value: unknown): Parsed<readonly TextPattern[]> {
  return parseOneOrMany(
    value,
    toPattern,
    "a text (in quotes where it looks like a number), a glob with * or none",
  );
}

function toPattern(value: unknown): TextPattern | null {
  if (typeof value !== "string" || value === "") return null;
  if (value === "none") return { kind: "none" };
  return value.includes("*") ? { kind: "glob", pattern: value } : { kind: "exact", value };
}
