import { describe, expect, it } from "vitest";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";
import { drain, source, statusText, troubled } from "../support/statuses.ts";

const page = readDoc("docs/status.md");
const texts = [
  statusText({}),
  statusText(troubled),
  statusText({ sources: [source({ census: null })], replicas: [] }),
];

/** The first column of the table below a heading. */
function named(heading: string, header: "column" | "line"): readonly string[] {
  const part = page.split(`## ${heading}\n`)[1] ?? "";
  return tableRows(part, [header, "meaning"]).map(([name = ""]) => codeSpans(name)[0] ?? "");
}

/** Lines below one that begins so, up to an empty one. */
function partsBelow(start: RegExp): readonly string[] {
  return texts.flatMap((text) =>
    text
      .split("\n\n")
      .filter((part) => start.test(part))
      .flatMap((part) => part.split("\n").slice(1)),
  );
}

/** What stands in the first ten columns of a line, where it begins one. */
function labelsOf(lines: readonly string[]): readonly string[] {
  const labels = lines.flatMap((line) => /^ {2}(\S.{0,8}\S|\S) /.exec(line.slice(0, 13))?.[1]?.trim() ?? []);
  return [...new Set(labels)];
}

/** Of the table whose header begins so. Names of columns are two spaces or more apart. */
function columnsOf(start: string): readonly string[] {
  const header = statusText(troubled)
    .split("\n")
    .find((line) => line.startsWith(start));
  return (header ?? "").trim().split(/ {2,}/);
}

describe("docs/status.md", () => {
  it("explains every column", () => {
    expect(named("The table of drains", "column")).toEqual(columnsOf("drain "));
    expect(named("The table of replicas", "column")).toEqual(columnsOf("replica "));
  });

  it("explains every line of a drain and of a source, in their order", () => {
    const ofDrains = labelsOf(partsBelow(/^\S+: .*source /));
    expect([...ofDrains].toSorted()).toEqual(named("The lines of a drain", "line").toSorted());
    const ofSources = labelsOf(partsBelow(/^source /));
    expect([...ofSources].toSorted()).toEqual(named("The lines of a source", "line").toSorted());
  });

  it.each([
    ["ledger", /ledger {4}(.*\n(?: {12}.*\n)*)/],
    ["queue", /queue {5}(.*\n(?: {12}.*\n)*)/],
    ["passes", /passes {4}(.*\n(?: {12}.*\n)*)/],
  ])("explains every item of the line %s", (line, pattern) => {
    const [part = ""] = page.split(`\n**\`${line}\`** has:`)[1]?.split(/\n(?:\*\*`|## )/) ?? [];
    const explained = part.replaceAll(/\s+/g, " ");
    const items = texts.flatMap((text) => (pattern.exec(text)?.[1] ?? "").split(/,\s+/));
    // Without its number, time or state.
    const words = items.map((item) =>
      item
        .trim()
        .replace(/^\d+ /, "")
        .replace(/ (?:-|\d\S*( ago)?|open|closed|partial|in \d\S*|counts)$/, "")
        .replace(/^counts carried forward since$/, "carried forward")
        .replace(/^first expires in.*$/, "first expires"),
    );
    const missing = [...new Set(words)].filter((word) => word !== "" && !explained.includes(word));
    expect(missing).toEqual([]);
  });

  it("explains the words that stand behind and below the replicas", () => {
    for (const words of [
      "differs",
      "rejected",
      "rejects its drains document",
      "cannot write to the archive",
    ]) {
      expect(texts[1]).toContain(words);
      expect(codeSpans(page)).toContain(words);
    }
  });

  it("is about what a drain without a pass shows, too", () => {
    const { due: _due, held: _held, parked: _parked, inDoubt: _inDoubt, ...bare } = drain("orders");
    expect(statusText({ drains: [bare as ReturnType<typeof drain>] })).toMatch(/^orders +live +- +- +- +-/m);
    expect(page).toContain("`-` means not known");
  });
});
