/**
 * The place where a YAML text is indented otherwise than the lines around it. The library reports what its grammar misses after such a
 * line (a key, a bracket, a quote), often on another line. A person needs to be shown the spaces.
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

/** The first line in a column that the lines above do not allow; null if there is none. Linear in the text. */
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

interface BlockLine {
  readonly number: number;
  readonly indent: number;
  readonly isItem: boolean;
  /** What begins behind the first dash on the same line: further dashes, and a key. */
  readonly inside: readonly Omit<Level, "line">[];
  /** Whether a block may follow below it: nothing follows its last colon or dash. */
  readonly opens: boolean;
}

/** Lines that begin with a key or a dash, outside of flow collections, quotes and block texts. */
function* blockLines(text: string): Generator<BlockLine> {
  let open: Open = { depth: 0, quote: null };
  let blockTextAbove = -1;
  for (const [index, raw] of text.split(/\r\n|\n/).entries()) {
    const indent = raw.length - raw.trimStart().length;
    const isInsideBefore = open.depth > 0 || open.quote !== null;
    if (!isInsideBefore) {
      if (raw.trim() === "" || raw[indent] === "#" || /^(---|\.\.\.|%)/.test(raw)) continue;
      if (blockTextAbove >= 0 && indent > blockTextAbove) continue;
      blockTextAbove = -1;
    }
    const [bare, after] = withoutContent(raw, open);
    open = after;
    if (isInsideBefore) continue;
    const dashes = /^(?:- +)*(?:-$)?/.exec(bare.slice(indent))?.[0] ?? "";
    const rest = bare.slice(indent + dashes.length);
    const hasKey = /^[^\s:][^:]*(?::[^\s:][^:]*)*:(?: |$)/.test(rest);
    if (dashes === "" && !hasKey) continue;
    if (/(?:^|[\s])[|>][-+\d]*$/.test(rest)) blockTextAbove = indent + dashes.length;
    const inside: Omit<Level, "line">[] = [...dashes.matchAll(/-/g)]
      .slice(1)
      .map(({ index: at }) => ({ indent: indent + at, kind: "items" }));
    if (dashes !== "" && hasKey) inside.push({ indent: indent + dashes.length, kind: "keys" });
    yield {
      number: index + 1,
      indent,
      isItem: dashes !== "",
      inside,
      opens: rest === "" || /:(?: +[&!]\S*)?$/.test(rest),
    };
  }
}

interface Open {
  readonly depth: number;
  readonly quote: '"' | "'" | null;
}

/** The line without quoted text, brackets and comment, and what is still open at its end. */
function withoutContent(line: string, before: Open): readonly [string, Open] {
  let { depth, quote } = before;
  let bare = "";
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (quote !== null) {
      if (quote === '"' && character === "\\") at += 1;
      else if (character === quote) quote = null;
      continue;
    }
    const isFirst = at === 0 || /[\s,[{:]/.test(line[at - 1] ?? "");
    if (character === "#" && (at === 0 || /\s/.test(line[at - 1] ?? ""))) break;
    if ((character === '"' || character === "'") && isFirst) {
      quote = character;
      if (depth === 0) bare += "q";
    } else if ((character === "[" || character === "{") && (depth > 0 || isFirst)) {
      if (depth === 0) bare += "f";
      depth += 1;
    } else if ((character === "]" || character === "}") && depth > 0) depth -= 1;
    else if (depth === 0) bare += character;
  }
  return [bare.trimEnd(), { depth, quote }];
}
