/**
 * Text in lines of at most so many columns, for a terminal. `columns` is Infinity if stdout is no terminal: then no line is
 * broken, so that one thing stays one line for grep.
 */

/** What a terminal shows without breaking it, however narrow its window. */
export const terminalColumns = 80;

/**
 * A label and a list behind it, `, ` between its items; further lines begin below the first item. No item is broken. Without items
 * there is no label either.
 */
export function wrapList(
  columns: number,
  indent: number,
  label: string,
  items: readonly string[],
  labelWidth = 10,
): string {
  if (items.length === 0) return "";
  const head = `${" ".repeat(indent)}${label.padEnd(labelWidth)}`;
  const pieces = items.map((item, index) => (index === items.length - 1 ? item : `${item},`));
  return packed(columns, head, pieces);
}

/** A text behind a mark, broken between words; further lines begin below its first word. A longer word is not broken. */
export function wrapWords(columns: number, indent: number, mark: string, text: string): string {
  return packed(columns, " ".repeat(indent) + mark, text.split(" "));
}

/** A text of any length behind a mark: broken at a space if one is near the end of a line, else where it is full. */
export function wrapText(columns: number, indent: number, mark: string, text: string): string {
  const room = columns - indent - mark.length;
  const lines: string[] = [];
  let rest = Array.from(text);
  do {
    const space = rest.length > room ? rest.lastIndexOf(" ", room) : -1;
    const isNear = space > room / 2;
    const end = isNear ? space : room;
    const head = lines.length === 0 ? mark : " ".repeat(mark.length);
    lines.push(" ".repeat(indent) + head + rest.slice(0, end).join(""));
    rest = rest.slice(isNear ? end + 1 : end);
  } while (rest.length > 0);
  return `${lines.join("\n")}\n`;
}

/** The pieces behind a head, a space apart, as many in a line as fit. */
function packed(columns: number, head: string, pieces: readonly string[]): string {
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const piece of pieces) {
    if (!isEmpty && line.length + 1 + piece.length > columns) {
      lines.push(line);
      line = " ".repeat(head.length) + piece;
    } else {
      line += isEmpty ? piece : ` ${piece}`;
    }
    isEmpty = false;
  }
  return `${[...lines, line].map((one) => one.trimEnd()).join("\n")}\n`;
}
