import { describe, expect, it } from "vitest";
import { documentPages, readDoc } from "../support/markdown.ts";
import { quantile, sentenceLengths, tableCells } from "../support/prose.ts";

const maxMedianWords = 14;
const maxWordsOfNineInTen = 26;
/** What fits a line of a rendered page. */
const maxCellCharacters = 120;

const pages = [...documentPages, "src/job/README.md"];

describe("the sentences of", () => {
  it.each(pages)("%s are short", (page) => {
    const lengths = sentenceLengths(readDoc(page));
    expect(lengths.length).toBeGreaterThan(5);
    expect(quantile(lengths, 0.5), "the median").toBeLessThanOrEqual(maxMedianWords);
    expect(quantile(lengths, 0.9), "nine in ten").toBeLessThanOrEqual(maxWordsOfNineInTen);
  });
});

describe("the cells of", () => {
  it.each(pages)("%s fit a line", (page) => {
    expect(tableCells(readDoc(page)).filter((cell) => cell.length > maxCellCharacters)).toEqual([]);
  });
});

describe("what is measured", () => {
  it("ends a sentence at its stop, a blank line, an item or a cell", () => {
    const page =
      "# A heading that has many words in it\n\nOne two three. One two\nthree four!\n\n- one two three\n- one two three four five\n  six\n";
    expect(sentenceLengths(page)).toEqual([3, 3, 4, 6]);
    expect(sentenceLengths("| one two three | one two |\n|---|---|\n| one two three four | |\n")).toEqual([
      3, 4,
    ]);
  });

  it("takes inline code for one word and a link for its text, and leaves code out", () => {
    const page =
      "Run `npm run lanes -- dead` in [the folder](a/long/path.md) now.\n\n```sh\none two three four\n```\n";
    expect(sentenceLengths(page)).toEqual([6]);
    expect(tableCells("| [text](address.md) | `a \\| b` |\n|---|---|\n")).toEqual(["text", "`a \\| b`"]);
  });

  it("finds the middle and the length that nine in ten keep to", () => {
    const lengths = Array.from({ length: 11 }, (_, index) => index + 1);
    expect([quantile(lengths, 0.5), quantile(lengths, 0.9), quantile([], 0.5)]).toEqual([6, 10, 0]);
  });
});
