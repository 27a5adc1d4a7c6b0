/**
 * Text in lines of at most so many columns, for a terminal. `columns` is Infinity if stdout is no terminal:
 * then no line is broken, so that one thing stays one line for grep. What a terminal would act on is spelled out.
 */
import { toSpelledOut } from "../../../job/message/show-masked-values.ts";

/** Lines are never broken at less, however narrow a window is. */
export const terminalColumns = 80;

/** A text behind a mark, broken between words; further lines begin below its first word. */
export function wrapWords(columns: number, indent: number, mark: string, text: string): string {
  return packed(columns, " ".repeat(indent) + mark, text.split(" "));
}

/** A text of any length behind a mark: broken at a space near the end of a line, else at its full length. */
export function wrapText(columns: number, indent: number, mark: string, text: string): string {
  const room = columns - indent - mark.length;
  const lines: string[] = [];
  let rest = toSpelledOut(text);
  do {
    const space = rest.length > room ? rest.lastIndexOf(" ", room) : -1;
    const isNear = space > room / 2;
    // A character of two units takes two columns. None is halved.
    const isHalf = room > 1 && /[\ud800-\udbff]/.test(rest[room - 1] ?? "");
    const end = isNear ? space : isHalf ? room - 1 : room;
    const head = lines.length === 0 ? mark : " ".repeat(mark.length);
    lines.push(" ".repeat(indent) + head + rest.slice(0, end));
    rest = rest.slice(isNear ? end + 1 : end);
  } while (rest.length > 0);
  return `${lines.join("\n")}\n`;
}

function packed(columns: number, head: string, pieces: readonly string[]): string {
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const piece of pieces.map(toSpelledOut)) {
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
