import { describe, expect, it } from "vitest";
import { wrapList, wrapText, wrapWords } from "../../../../../src/people/cli/output/wrap.ts";

describe("wrapping", () => {
  it("breaks a list only between items, and a text wherever the line is full", () => {
    const items = Array.from({ length: 30 }, (_, index) => `item-${index}`);
    const list = wrapList(80, 4, "label", items);
    expect(list.split("\n").every((text) => text.length <= 80)).toBe(true);
    expect(list.replaceAll(/\s+/g, " ").trim()).toBe(`label ${items.join(", ")}`);
    const long = "x".repeat(200);
    const text = wrapText(80, 2, "- ", long);
    expect(text.split("\n").every((one) => one.length <= 80)).toBe(true);
    expect(text.replaceAll(/[\s-]/g, "")).toBe(long);
    expect(wrapList(80, 4, "label", [long])).toBe(`    label     ${long}\n`);
    expect(wrapText(80, 2, "- ", "")).toBe("  - \n");
  });

  it("breaks nothing where there is no terminal", () => {
    const items = Array.from({ length: 30 }, (_, index) => `item-${index}`);
    const words = items.join(" ");
    expect(wrapList(Infinity, 4, "label", items)).toBe(`    label     ${items.join(", ")}\n`);
    expect(wrapText(Infinity, 2, "- ", words)).toBe(`  - ${words}\n`);
    expect(wrapWords(Infinity, 2, "- ", words)).toBe(`  - ${words}\n`);
    expect(
      wrapWords(80, 2, "- ", words)
        .split("\n")
        .every((line) => line.length <= 80),
    ).toBe(true);
    expect(wrapWords(80, 2, "- ", words).replaceAll(/\s+/g, " ")).toBe(` - ${words} `);
  });
});
