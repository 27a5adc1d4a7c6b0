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
