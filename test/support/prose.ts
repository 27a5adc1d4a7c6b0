import { withoutCode } from "./markdown.ts";

/** A text as it is read: inline code is one word, a link is its words. */
function toRead(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/`[^`]+`/g, "code")
    .replaceAll("**", "");
}

function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/** Every cell of every table, as it is shown: without the addresses of its links. */
export function tableCells(markdown: string): readonly string[] {
  const rows = withoutCode(markdown)
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^[|\s:-]+$/.test(line));
  return rows.flatMap(cellsOf).map((cell) => cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
}

/** Paragraphs, items of lists and cells, each on one line. Headings are no sentences. */
function blocksOf(markdown: string): readonly string[] {
  const blocks: string[] = [];
  let isOpen = false;
  for (const line of withoutCode(markdown).split("\n")) {
    if (line.startsWith("|")) blocks.push(...cellsOf(line));
    else if (isOpen && /^\s*(?:[-*]|\d+\.)\s/.test(line)) blocks.push(line);
    else if (isOpen && line.trim() !== "" && !line.startsWith("#")) blocks.push(`${blocks.pop()} ${line}`);
    else if (!line.startsWith("#")) blocks.push(line);
    isOpen = line.trim() !== "" && !line.startsWith("#") && !line.startsWith("|");
  }
  return blocks;
}

/** How many words each sentence has, the shortest first. Fewer than three words are no sentence. */
export function sentenceLengths(markdown: string): readonly number[] {
  return blocksOf(markdown)
    .flatMap((block) => toRead(block).split(/(?<=[.!?])\s+/))
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length)
    .filter((words) => words > 2)
    .toSorted((a, b) => a - b);
}

/** The value that `share` of the sorted values do not exceed; of none, 0. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
