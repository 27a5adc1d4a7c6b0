import { RE2JS, RE2JSException } from "re2js";
import { one } from "./define-patterns.ts";
import type { Parsed } from "../parsed.ts";

/** RE2 has no back references and no lookaround, so every search is linear in the text. */
const maxCharacters = 1_000;
/**
 * Instructions. The worst cost of one character of a text grows with them. At this size a megabyte of hostile
 * text takes about five seconds, an ordinary expression milliseconds. A UUID in full is about 45.
 */
const maxInstructions = 256;

export function parseRegex(
  value: unknown,
): Parsed<readonly { readonly kind: "regex"; readonly source: string }[]> {
  if (typeof value !== "string" || value === "") {
    return { ok: false, expected: "a regular expression, in quotes" };
  }
  if (value.length > maxCharacters) {
    return { ok: false, expected: `a regular expression of at most ${maxCharacters} characters` };
  }
  try {
    if (RE2JS.compile(value).programSize() > maxInstructions) {
      return { ok: false, expected: "a smaller regular expression: its repetitions multiply" };
    }
    return one({ kind: "regex", source: value });
  } catch (error) {
    return { ok: false, expected: `a regular expression of RE2 syntax${toReason(error)}` };
  }
}

/** Expects a source that parseRegex took; throws for another. */
export function compileRegex(source: string): (text: string) => boolean {
  const expression = RE2JS.compile(source);
  return (text) => expression.test(text);
}

/** The library's own words, without the expression that they end with. */
function toReason(error: unknown): string {
  if (!(error instanceof RE2JSException)) return "";
  const [, reason = ""] = /^error parsing regexp: ([a-zA-Z ]+)/.exec(error.message) ?? [];
  return reason === "" ? "" : ` (${reason.trim()})`;
}
