import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../../../src/job/rules/patterns/glob.ts";

/** By definition: a star is nothing, or one character and a star. */
function matchesNaively(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern.startsWith("*")) {
    return matchesNaively(pattern.slice(1), text) || (text !== "" && matchesNaively(pattern, text.slice(1)));
  }
  return text !== "" && pattern[0] === text[0] && matchesNaively(pattern.slice(1), text.slice(1));
}

const over = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet.split("")), { maxLength }).map((characters) => characters.join(""));

describe("a glob", () => {
  it("matches what its definition matches", () => {
    let matched = 0;
    fc.assert(
      fc.property(over("ab*", 7), over("ab", 9), (pattern, text) => {
        const expected = matchesNaively(pattern, text);
        if (expected) matched++;
        expect(compileGlob(pattern)(text)).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
    expect(matched).toBeGreaterThan(100);
  });

  it("takes everything but the star as itself", () => {
    for (const pattern of ["a.c", "a?c", "[ab]", "(a|b)", "^a$", "a\\*"]) {
      expect(compileGlob(pattern)("abc")).toBe(false);
    }
    expect(compileGlob("a.c*")("a.c.d")).toBe(true);
    expect(compileGlob("[a*]")("[abc]")).toBe(true);
  });

  it.each([
    ["many stars", "*a".repeat(500) + "b", "a".repeat(200_000)],
    ["many stars at the end", "a*".repeat(500) + "b", "a".repeat(200_000)],
    ["one long piece that nearly fits everywhere", `*${"a".repeat(2_000)}b*`, "a".repeat(200_000)],
    ["pieces that fit late", `*${"ab".repeat(500)}c*`.repeat(5), "ab".repeat(100_000)],
  ])("takes time linear in the text: %s", (_name, pattern, text) => {
    const matches = compileGlob(pattern);
    matches(text);
    const before = performance.now();
    expect(matches(text)).toBe(false);
    // Linear is about 2 ms and quadratic is seconds; the bound leaves room for a busy machine.
    expect(performance.now() - before).toBeLessThan(4_000);
  });
});
