import { describe, expect, it } from "vitest";
import { maxJsonCharacters, maxJsonMarks } from "../../../../src/job/message/json-value.ts";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import { maxJsonDepth, toJson } from "../../../../src/job/rules/read-json-body.ts";
import { compileRegex, parseRegex } from "../../../../src/job/rules/patterns/regex.ts";
import type { Condition } from "../../../../src/job/rules/rule-spec.ts";
import { Subject } from "../../../../src/job/rules/subject.ts";
import { factsOf } from "../../../support/letters.ts";

const million = 1_000_000;

/** The time of the second run in ms: the first one compiles. */
function timed(work: () => unknown): number {
  work();
  const before = performance.now();
  work();
  return performance.now() - before;
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const ask = (pointer: string): Condition => ({
  kind: "value",
  field: "body",
  pointer,
  oneOf: [{ kind: "none" }],
});
const rules = (...conditions: Condition[]) =>
  compileRules(
    conditions.map((when, index) => ({ name: `r${index}`, when, then: "hold" as const })),
    "hold",
  );

describe("a body as JSON", () => {
  it("is looked into up to a depth and a size, and is none beyond", () => {
    expect(toJson(nested(maxJsonDepth))).toBeDefined();
    expect(toJson(nested(maxJsonDepth + 1))).toBeUndefined();
    expect(toJson(`"${"[".repeat(2 * maxJsonDepth)}"`)).toBeDefined();
    expect(toJson(`["\\"${"[".repeat(2 * maxJsonDepth)}"]`)).toBeDefined();
    expect(toJson(`[${"{},".repeat(2 * maxJsonDepth)}1]`)).toBeDefined();
    expect(toJson(`"${"x".repeat(maxJsonCharacters - 2)}"`)).toBeDefined();
    expect(toJson(`"${"x".repeat(maxJsonCharacters - 1)}"`)).toBeUndefined();
    expect(toJson(`[${"0,".repeat(maxJsonMarks)}0]`)).toBeUndefined();
    for (const text of ["", "{", '"\\', "nul", "\u0000"]) expect(toJson(text)).toBeUndefined();
  });

  it.each([
    ["opened a million times", "[".repeat(million)],
    ["a text that does not end", `"${"\\".repeat(2 * million)}`],
    ["a million members", `[${"0,".repeat(million - 1)}0]`],
  ])("does not crash or hang: %s", (_name, text) => {
    // What is parsed at all takes some tens of ms.
    expect(timed(() => toJson(text))).toBeLessThan(4_000);
  });

  it("is parsed once for all rules, and not at all where nobody asks", () => {
    const parse = JSON.parse;
    let calls = 0;
    const facts = factsOf({ body: '{"a":1}' });
    JSON.parse = (...given: Parameters<typeof parse>) => {
      calls += 1;
      return parse(...given) as unknown;
    };
    try {
      rules({ kind: "text", field: "body", oneOf: [{ kind: "none" }] })(facts);
      expect(calls).toBe(0);
      rules(ask("/a"), ask("/a"), { kind: "not", of: ask("") })(facts);
      expect(calls).toBe(1);
    } finally {
      JSON.parse = parse;
    }
  });

  it("has no members that it does not name itself", () => {
    const subject = new Subject(factsOf({ body: '{"own":{"__proto__":{"x":1}}}' }));
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(subject.value("body", [name])).toBeUndefined();
    }
    expect(subject.value("body", ["own", "__proto__", "x"])).toBe(1);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("a regular expression", () => {
  it.each([
    ["nested repetition", "(a+)+$"],
    ["repetition of alternatives", "(a|aa)+$"],
    ["many counted optionals", "(?:a?){80}a{80}$"],
  ])("takes time linear in the text: %s", (_name, source) => {
    expect(parseRegex(source).ok).toBe(true);
    const matches = compileRegex(source);
    const pieces = ["a", "ab", "x", "abbaba"];
    for (const piece of pieces) {
      const text = `${piece.repeat(million / piece.length)}!`;
      // Exponential would be for ever; the worst of these takes some tenths of a second.
      expect(timed(() => matches(text))).toBeLessThan(15_000);
    }
  });

  it.each([["[[:alpha:]]{1000}".repeat(50)], ["(".repeat(900)]])(
    "that is too much is refused at once: %#",
    (source) => {
      expect(timed(() => parseRegex(source))).toBeLessThan(4_000);
      expect(parseRegex(source).ok).toBe(false);
    },
  );
});
