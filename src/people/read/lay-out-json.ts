const opening = new Set(["{", "["]);
const closing = new Set(["}", "]"]);
/** Lines further in stand no further right: strangers write depths of thousands. */
const deepest = 20;
/** A string with its escapes, or one character outside of strings. */
const token = /"(?:[^"\\]|\\.)*"|[^"]/gsu;

/**
 * JSON with a line for each value. Its values stay as they are written, since a number or a key that a parser has
 * read may differ from what was received. Any other text, or one without members, stays whole.
 */
export function layOutJson(text: string): string {
  if (!isNested(text)) return text;
  let out = "";
  let depth = 0;
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, deepest))}`;
  let isEmpty = false;
  for (const [part] of text.matchAll(token)) {
    if (/^\s$/u.test(part)) continue;
    if (closing.has(part)) {
      depth -= 1;
      if (!isEmpty) out += newLine();
      out += part;
      isEmpty = false;
      continue;
    }
    if (isEmpty) out += newLine();
    isEmpty = opening.has(part);
    if (isEmpty) depth += 1;
    out += part === ":" ? ": " : part;
    if (part === ",") out += newLine();
  }
  return out;
}

function isNested(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
