import type { ErrorCode, YAMLError } from "yaml";
import { findIndentationFault, type IndentationFault } from "./indentation.ts";

const expectedByCode = new Map<ErrorCode, string>([
  ["MULTIPLE_DOCS", "a single document (no second ---)"],
  ["TAB_AS_INDENT", "spaces for indentation, not tabs"],
  ["BAD_INDENT", "the indentation of the lines beside it"],
  ["RESOURCE_EXHAUSTION", "less nesting"],
  ["TAG_RESOLVE_FAILED", "no tags (!…); quote it if a text begins with !"],
  ["MULTIPLE_TAGS", "no tags (!…)"],
  ["NON_STRING_KEY", "a key that is text"],
  ["KEY_OVER_1024_CHARS", "a key of at most 1024 characters"],
  ["BAD_DQ_ESCAPE", "a valid escape in the quoted text"],
  ["BAD_ALIAS", "a valid anchor or alias; quote it if a text begins with * or &"],
  ["ALIAS_PROPS", "a valid anchor or alias"],
  ["MULTIPLE_ANCHORS", "a valid anchor or alias"],
  ["MISSING_CHAR", "a closing quote, bracket, comma or colon"],
  ["BLOCK_AS_IMPLICIT_KEY", "quotes around a value that contains a colon"],
  ["BLOCK_IN_FLOW", "quotes around a value that contains a colon"],
]);

/** What the library reports if a line is wrongly indented, be it that mistake or what follows from it. */
const ledAstray: ReadonlySet<ErrorCode> = new Set([
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "MULTILINE_IMPLICIT_KEY",
  "MISSING_CHAR",
  "NON_STRING_KEY",
  "UNEXPECTED_TOKEN",
]);

export interface SyntaxFinding {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly expected: string;
  readonly message: string;
}

type Locate = (offset: number) => { readonly line: number; readonly column: number };

/**
 * The mistakes of a text that is no YAML, one finding for each cause. The library's own messages may repeat
 * the source text, which may be a secret; these do not.
 */
export function toSyntaxFindings(
  text: string,
  errors: readonly YAMLError[],
  locate: Locate,
): readonly SyntaxFinding[] {
  const placed = errors
    .map((error) => ({ error, ...locate(error.pos[0]) }))
    .toSorted((one, other) => one.line - other.line || one.column - other.column);
  const tabs = placed.filter(({ error }) => error.code === "TAB_AS_INDENT");
  const [tab] = tabs;
  if (tab !== undefined) {
    const lines = [...new Set(tabs.map(({ line }) => line))].filter((line) => line !== tab.line);
    return [
      ...eachLine(
        text,
        placed.filter(({ line }) => line < tab.line),
      ),
      toTabs(tab, lines),
    ];
  }
  const fault = placed.some(({ error }) => ledAstray.has(error.code)) ? findIndentationFault(text) : null;
  const isCause =
    fault !== null &&
    placed.some(
      ({ error, line }) => ledAstray.has(error.code) && line >= fault.neighbour && line <= fault.line,
    );
  if (!isCause) return eachLine(text, placed);
  return [
    ...eachLine(
      text,
      placed.filter(({ line }) => line < fault.neighbour),
    ),
    toMisplaced(fault),
  ];
}

interface Placed {
  readonly error: YAMLError;
  readonly line: number;
  readonly column: number;
}

/** What follows on the same line follows from the first. */
function eachLine(text: string, placed: readonly Placed[]): readonly SyntaxFinding[] {
  return placed
    .filter(({ line }, index) => line !== placed[index - 1]?.line)
    .map(({ error, line, column }) => {
      const unquoted = findUnquoted(text, error.pos[0]);
      const expected = unquoted?.expected ?? expectedBySyntax(error);
      return { line, column: column - (unquoted?.before ?? 0), expected, message: `expected ${expected}` };
    });
}

/**
 * A value that YAML reads otherwise because of its first character, if the mistake at `offset` follows from that:
 * `>= 500` begins a folded text, `@acme` nothing, `{{ HOST }}` two mappings. `before`: so far ahead it begins.
 */
function findUnquoted(text: string, offset: number): { expected: string; before: number } | null {
  const ahead = text.slice(Math.max(offset - 200, text.lastIndexOf("\n", offset - 1) + 1), offset);
  const [, start = ""] = /(?:^|[:\-,[{])[ \t]+(>[^\n"']*)$/.exec(`${ahead}${text[offset] ?? ""}`) ?? [];
  if (start !== "") return { expected: quoteIt(">", '">= 500"'), before: start.length - 1 };
  const [first = "", behind = ""] = text.slice(offset, offset + 2);
  if (/[@`%|,]/.test(first)) return { expected: quoteIt(first, `"${first}…"`), before: 0 };
  const isTemplate = first === "{" && (behind === "{" || /[{$]$/.test(ahead));
  return isTemplate ? { expected: quoteIt("{", '"…{…}"'), before: 0 } : null;
}

function quoteIt(first: string, example: string): string {
  return `quotes around a value with ${first} (quote it, as in ${example}): without them it is YAML's own sign`;
}

function expectedBySyntax({ code, message }: YAMLError): string {
  // The library has one code for both; it begins the sentence about brackets with the kind of collection.
  if (code === "BAD_INDENT" && message.startsWith("Flow ")) return "a closing bracket, or deeper indentation";
  return expectedByCode.get(code) ?? `valid YAML (${code.toLowerCase().replaceAll("_", " ")})`;
}

const maxLines = 5;

function toTabs({ error, line, column }: Placed, others: readonly number[]): SyntaxFinding {
  const expected = expectedBySyntax(error);
  const shown = others.slice(0, maxLines).join(", ");
  const more = others.length > maxLines ? `${shown} and ${others.length - maxLines} more` : shown;
  const also = others.length === 0 ? "" : ` (also line${others.length === 1 ? "" : "s"} ${more})`;
  return { line, column, expected, message: `expected ${expected}${also}` };
}

function toMisplaced(fault: IndentationFault): SyntaxFinding {
  const { line, column, way, neighbour, expectedSpaces, gotSpaces } = fault;
  const expected = `${expectedSpaces} spaces`;
  const message = `indented ${way} than its neighbours (line ${neighbour}); expected ${expected}, got ${gotSpaces}`;
  return { line, column, expected, message };
}
