import { describe, expect, it } from "vitest";
import { toLine } from "../../src/job/archive/entry-line.ts";
import { archiveEntry } from "../support/archives.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/archive.md");

describe("docs/archive.md", () => {
  it("names the keys of an entry, all of them, in their order", () => {
    const keys = tableRows(page, ["key", "meaning"]).map(([key = ""]) => codeSpans(key)[0]);
    expect(keys).toEqual(Object.keys(JSON.parse(toLine(archiveEntry(1))) as object));
  });
});
