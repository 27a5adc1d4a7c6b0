import { lexYaml } from "./yaml-limits.ts";

/**
 * The place where a YAML text is indented otherwise than the lines around it. The library reports what its
 * grammar misses after such a line (a key, a bracket, a quote), often on another line. A person needs to be
 * shown the spaces.
 */
export interface IndentationFault {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly way: "deeper" | "less";
  /** The line that has the right column, from 1. */
  readonly neighbour: number;
  readonly expectedSpaces: number;
  readonly gotSpaces: number;
}

interface Level {
  readonly indent: number;
  readonly kind: "keys" | "items";
  /** The last line at this level. */
  line: number;
}

/**
 * The first line in a column that the lines above do not allow; null if there is none. Linear in the text.
 */
export function findIndentationFault(text: string): IndentationFault | null {
  const levels: Level[] = [];
  let opens = true;
  for (const line of blockLines(text)) {
    const { indent, number, isItem } = line;
    let closed: Level | undefined;
    let top = levels.at(-1);
    for (; top !== undefined && isInside(top, line); top = levels.at(-1)) {
      if (top.indent > indent) closed = top;
      levels.pop();
    }
    const isBeside = top?.indent === indent && (top.kind === "items") === isItem;
    // A list may be in the column of its key.
    const isListOfKey = top?.indent === indent && top.kind === "keys" && isItem && opens;
    if (!isBeside && !isListOfKey) {
      if (closed !== undefined) return toFault(line, "less", closed);
      if (top !== undefined && top.indent < indent && !opens) return toFault(line, "deeper", top);
    }
    if (isBeside && top !== undefined) top.line = number;
    else levels.push({ indent, kind: isItem ? "items" : "keys", line: number });
    for (const level of line.inside) levels.push({ ...level, line: number });
    opens = line.opens;
  }
  return null;
}

/** Whether a level ends where this line begins. */
function isInside(level: Level, { indent, isItem }: BlockLine): boolean {
  return level.indent > indent || (level.indent === indent && level.kind === "items" && !isItem);
}

function toFault(line: BlockLine, way: "deeper" | "less", level: Level): IndentationFault {
  return {
    line: line.number,
    column: line.indent + 1,
    way,
    neighbour: level.line,
    expectedSpaces: level.indent,
    gotSpaces: line.indent,
  };
}

type InnerLevel = Omit<Level, "line">;

interface BlockLine {
  readonly number: number;
  readonly indent: number;
  readonly isItem: boolean;
  /** What begins behind the first dash on the same line: further dashes, and a key. */
  readonly inside: readonly InnerLevel[];
  /** Whether a block may follow below it: nothing follows its last colon or dash. */
  readonly opens: boolean;
}

/** Lines that begin with a key or a dash, outside of flow collections, quotes and block texts. */
function* blockLines(text: string): Generator<BlockLine> {
  let number = 1;
  let lineAt = 0;
  let depth = 0;
  /** Of this line, outside of brackets; null if it begins inside of brackets or quotes. */
  let signs: Sign[] | null = [];
  for (const { token, offset, isScalar } of lexYaml(text)) {
    if (depth === 0 && !/^(?:$|[\s#&!])/.test(token)) {
      signs?.push({ sign: isScalar ? "text" : token, column: offset - lineAt });
    }
    if (!isScalar && (token === "{" || token === "[")) depth += 1;
    if (!isScalar && (token === "}" || token === "]")) depth = Math.max(0, depth - 1);
    if (!token.includes("\n")) continue;
    const lines = token.split("\n");
    const last = lines.at(-1) ?? "";
    yield* toBlockLine(number, signs ?? []);
    number += lines.length - 1;
    lineAt = offset + token.length - last.length;
    signs = depth > 0 || /^["']/.test(token) ? null : [];
    // A plain text goes on: its last line may be a key.
    if (isScalar && last !== "") signs?.push({ sign: "text", column: last.length - last.trimStart().length });
  }
  yield* toBlockLine(number, signs ?? []);
}

interface Sign {
  readonly sign: string;
  readonly column: number;
}

function* toBlockLine(number: number, signs: readonly Sign[]): Generator<BlockLine> {
  const [first] = signs;
  const key = signs.find(({ sign }) => sign !== "-");
  const dashes = key === undefined ? signs : signs.slice(0, signs.indexOf(key));
  const hasKey = signs.some(({ sign }) => sign === ":");
  const isItem = dashes.length > 0;
  if (first === undefined || (!isItem && !hasKey)) return;
  const inside = dashes.slice(1).map(({ column }): InnerLevel => ({ indent: column, kind: "items" }));
  if (isItem && hasKey && key !== undefined) inside.push({ indent: key.column, kind: "keys" });
  const end = signs.at(-1)?.sign;
  yield { number, indent: first.column, isItem, inside, opens: end === ":" || end === "-" };
}
