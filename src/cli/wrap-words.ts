import { columns } from "./wrap.ts";

/** A text behind a mark, broken between words; further lines begin below its first word. A longer word is not broken. */
export function wrapWords(indent: number, mark: string, text: string): string {
  const head = " ".repeat(indent) + mark;
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = " ".repeat(head.length) + word;
    } else {
      line += isEmpty ? word : ` ${word}`;
    }
    isEmpty = false;
  }
  return `${[...lines, line].map((one) => one.trimEnd()).join("\n")}\n`;
}
