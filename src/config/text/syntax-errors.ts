import type { ErrorCode, YAMLError } from "yaml";

const expectedByCode = new Map<ErrorCode, string>([
  ["MULTIPLE_DOCS", "a single document (no second ---)"],
  ["TAB_AS_INDENT", "spaces for indentation, not tabs"],
  ["BAD_INDENT", "deeper indentation, or a closing bracket"],
  ["RESOURCE_EXHAUSTION", "less nesting"],
  ["TAG_RESOLVE_FAILED", "no tags (!…)"],
  ["MULTIPLE_TAGS", "no tags (!…)"],
  ["NON_STRING_KEY", "a key that is text"],
  ["KEY_OVER_1024_CHARS", "a key of at most 1024 characters"],
  ["BAD_DQ_ESCAPE", "a valid escape in the quoted text"],
  ["BAD_ALIAS", "a valid anchor or alias"],
  ["ALIAS_PROPS", "a valid anchor or alias"],
  ["MULTIPLE_ANCHORS", "a valid anchor or alias"],
  ["MISSING_CHAR", "a closing quote, bracket, comma or colon"],
  ["BLOCK_AS_IMPLICIT_KEY", "quotes around a value that contains a colon"],
]);

/** What YAML expects. The library's own messages may repeat the source text, which may hold a secret; these do not. */
export function expectedBySyntax(error: YAMLError): string {
  return expectedByCode.get(error.code) ?? `valid YAML (${error.code.toLowerCase().replaceAll("_", " ")})`;
}
