import type { ErrorCode, YAMLError } from "yaml";

const quotes = 'quotes around a value with signs of YAML (quote it, as in ">= 500")';
const besides = "the indentation of the lines beside it";

const expectedByCode = new Map<ErrorCode, string>([
  ["MULTIPLE_DOCS", "a single document (no second ---)"],
  ["TAB_AS_INDENT", "spaces for indentation, not tabs"],
  ["BAD_INDENT", `${besides}, and a closing bracket for each that is open`],
  ["RESOURCE_EXHAUSTION", "less nesting"],
  ["TAG_RESOLVE_FAILED", "no tags (!…); quote it if a text begins with !"],
  ["MULTIPLE_TAGS", "no tags (!…)"],
  ["NON_STRING_KEY", "a key that is text; quote it if a text begins with {"],
  ["KEY_OVER_1024_CHARS", "a key of at most 1024 characters"],
  ["BAD_DQ_ESCAPE", "a valid escape in the quoted text"],
  ["BAD_ALIAS", "a valid anchor or alias; quote it if a text begins with * or &"],
  ["ALIAS_PROPS", "a valid anchor or alias"],
  ["MULTIPLE_ANCHORS", "a valid anchor or alias"],
  ["MISSING_CHAR", `a closing quote, bracket, comma or colon, or ${besides}`],
  ["BLOCK_AS_IMPLICIT_KEY", `quotes around a value that contains a colon, or ${besides}`],
  ["BLOCK_IN_FLOW", "quotes around a value that contains a colon"],
  ["BAD_SCALAR_START", quotes],
  ["UNEXPECTED_TOKEN", quotes],
]);

/**
 * The first mistake of a text that is no YAML; null if there is none. What comes behind it mostly follows from it. The
 * library's own messages may repeat the source text, which may be a secret; these do not.
 */
export function firstSyntaxError(
  errors: readonly YAMLError[],
): { readonly offset: number; readonly expected: string } | null {
  const [first] = errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  if (first === undefined) return null;
  const expected = expectedByCode.get(first.code);
  const code = first.code.toLowerCase().replaceAll("_", " ");
  return { offset: first.pos[0], expected: expected ?? `valid YAML (${code})` };
}
