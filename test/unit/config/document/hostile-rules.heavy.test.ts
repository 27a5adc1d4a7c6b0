import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { formatProblem } from "../../../../src/config/problem.ts";

const problemsOf = (text: string): string[] => {
  const outcome = loadDocument(text, "drains.yaml");
  return outcome.ok ? [] : outcome.problems.map(formatProblem);
};

const thousandRules = (when: (index: number) => string): string =>
  `version: 1\nsources: { a: {} }\ndrains:\n  x:\n    rules:\n${Array.from(
    { length: 1_000 },
    (_, index) => `      - { when: ${when(index)}, then: hold }`,
  ).join("\n")}`;
const numbered = (count: number, word: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => word(index)).join(",");

const merging = (body: string) =>
  `version: 1\nsources: { a: {} }\ndrains: { x: { rules: [{ when: any, then: republish, set: { body: { merge: ${body} } } }] } }`;

describe("rules made to hurt", () => {
  it.each([
    ["texts", (rule: number) => `{ host: [${numbered(30, (n) => `h${rule}-${n}`)}] }`],
    ["globs", (rule: number) => `{ host: [${numbered(15, (n) => `'*h${rule}-${n}*a*b'`)}] }`],
    ["ranges", (rule: number) => `{ attempt: [${numbered(25, (n) => `${rule}-${rule + n}`)}] }`],
    ["expressions", (rule: number) => `{ host: [h${rule}, { regex: '(a|b){80}${rule}' }] }`],
    ["values", (rule: number) => `{ body: { /a: [${numbered(20, (n) => `'< ${rule}${n}'`)}] } }`],
    ["networks", (rule: number) => `{ callerIp: [${numbered(10, (n) => `10.${rule % 250}.${n}.0/24`)}] }`],
    [
      "nests",
      (rule: number) =>
        `{ any: [{ all: [{ host: a${rule} }, { not: { path: /b } }] }, { path: /c${rule} }] }`,
    ],
  ])("a thousand rules of %s load, or say that they are too many, soon", (_, when) => {
    const started = performance.now();
    const outcome = loadDocument(thousandRules(when), "drains.yaml");
    expect(outcome.ok ? "" : outcome.problems.map(formatProblem).join("\n")).toMatch(
      /^$|at most 50000 values|at most 100000 words/,
    );
    // A second or two on a quiet machine.
    expect(performance.now() - started).toBeLessThan(25_000);
  });

  it.each([
    ["(a{1000}){1000}", "RE2 syntax (invalid repeat count)"],
    ["(a|b|c|d){1000}", "a smaller regular expression"],
    ["(?=a)b", "RE2 syntax"],
    ["(.)\\\\1", "RE2 syntax"],
    ["(", "RE2 syntax (missing closing"],
    ["x".repeat(1_001), "at most 1000 characters"],
  ])("an expression that would hurt or means nothing is refused where it stands: %s", (source, expected) => {
    const text = `version: 1\nsources: { a: {} }\ndrains: { x: { rules: [{ when: { body: { regex: "${source}" } }, then: hold }] } }`;
    const [problem = "", ...others] = problemsOf(text);
    expect(problem).toContain("drains.yaml:3:49 drains.x.rules[0].when.body.regex: expected a");
    expect(problem).toContain(expected);
    expect(others).toEqual([]);
  });

  it("conditions nested without end fail at the depth that any text may have", () => {
    const when = "{ not: ".repeat(40) + "{ host: a }" + " }".repeat(40);
    expect(problemsOf(thousandRules(() => when).slice(0, 2_000)).join()).toContain("nesting at most 32");
  });

  it("bodies that are merged keep names of prototypes out and other odd names in", () => {
    expect(problemsOf(merging("{ a: { __proto__: { b: 1 } } }")).join()).toContain(
      '"__proto__" cannot be a name',
    );
    expect(problemsOf(merging("{ toString: 1, hasOwnProperty: { valueOf: 2 } }"))).toEqual([]);
  });
});
