import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../..");

/** A file of the repository, by its path from the top. */
export function readDoc(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** Every page that a person is sent to, by its path from the top. */
export const documentPages: readonly string[] = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "deploy/README.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

export interface CodeBlock {
  /** The word behind the fence: `yaml`, `sh`; empty where there is none. */
  readonly language: string;
  readonly text: string;
  /** The heading it stands under. */
  readonly heading: string;
  /** Of its first line of text, from 1. */
  readonly line: number;
}

export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = "";
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    const fence = /^```(\w*)/.exec(text);
    if (open === undefined) {
      if (fence !== null) open = { language: fence[1] ?? "", line: index + 2, lines: [] };
      else heading = /^#+ (.+)$/.exec(text)?.[1] ?? heading;
    } else if (fence === null) open.lines.push(text);
    else {
      blocks.push({ language: open.language, text: `${open.lines.join("\n")}\n`, heading, line: open.line });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`the code block at line ${open.line} has no end`);
  return blocks;
}

/** Each command of the shell blocks, on one line. */
export function shellLines(markdown: string): readonly string[] {
  return codeBlocks(markdown)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) =>
      text
        .replaceAll(/ *\\\n\s*/g, " ")
        .trim()
        .split("\n"),
    );
}

/** The text without code blocks, which may hold what looks like headings, tables and links. */
export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");
}

/** Cells of each row below the table that has exactly these headers; throws where there is no such table. */
export function tableRows(markdown: string, headers: readonly string[]): readonly (readonly string[])[] {
  const lines = withoutCode(markdown).split("\n");
  const start = lines.findIndex((text) => toCells(text).join("|") === headers.join("|"));
  if (start === -1) throw new Error(`there is no table with the headers ${headers.join(", ")}`);
  const below = lines.slice(start + 2);
  const end = below.findIndex((text) => !text.startsWith("|"));
  return below.slice(0, end === -1 ? undefined : end).map(toCells);
}

function toCells(text: string): readonly string[] {
  return text.startsWith("|")
    ? text
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    : [];
}

/** What stands in backticks, code blocks left out. */
export function codeSpans(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** The fragment that a heading is linked by: lower case, without punctuation, `-` for spaces. */
export function headingSlugs(markdown: string): readonly string[] {
  return [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
