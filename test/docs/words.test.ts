/** How much there is to read. Words are counted as wc -w does: what stands between blanks. */
import { expect, it } from "vitest";
import { documentPages, readDoc } from "../support/markdown.ts";

const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const pages = documentPages.filter((page) => /^docs\/[^/]+\.md$/.test(page));

it("README has 900 words, ten per cent more or less", () => {
  expect(Math.abs(wordsOf(readDoc("README.md")) - 900)).toBeLessThanOrEqual(90);
});

it("users have at most 28 pages, with at most 2,500 words each and 45,000 in all", () => {
  const counts = ["README.md", ...pages].map((page) => [page, wordsOf(readDoc(page))] as const);
  expect(counts.length).toBeLessThanOrEqual(28);
  expect(counts.filter(([, words]) => words > 2_500)).toEqual([]);
  expect(counts.reduce((sum, [, words]) => sum + words, 0)).toBeLessThanOrEqual(45_000);
});

it("a runbook has at most 170 words", () => {
  const runbooks = ["docs/runbooks.md", "docs/runbooks-system.md"].flatMap((page) =>
    readDoc(page).split(/^## /m).slice(1),
  );
  expect(runbooks.length).toBeGreaterThan(30);
  expect(runbooks.filter((text) => wordsOf(text) > 170).map((text) => text.split("\n")[0])).toEqual([]);
});
