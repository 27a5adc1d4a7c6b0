/** Lines that a terminal of 80 columns shows without breaking them. */
export const columns = 80;

/** A label and a list behind it, `, ` between its items; further lines begin below the first item. No item is broken. */
export function wrapList(indent: number, label: string, items: readonly string[], labelWidth = 10): string {
  const head = `${" ".repeat(indent)}${label.padEnd(labelWidth)}`;
  const lines: string[] = [];
  let line = head;
  for (const [index, item] of items.entries()) {
    const text = index === items.length - 1 ? item : `${item},`;
    const isFirst = line.length === head.length && (lines.length > 0 || index === 0);
    if (!isFirst && line.length + 1 + text.length > columns) {
      lines.push(line.trimEnd());
      line = " ".repeat(head.length) + text;
    } else {
      line = isFirst ? line + text : `${line} ${text}`;
    }
  }
  return `${[...lines, line.trimEnd()].join("\n")}\n`;
}

/** A text of any length behind a mark: broken at a space where one is near the end of a line, else wherever it is full. */
export function wrapText(indent: number, mark: string, text: string): string {
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
