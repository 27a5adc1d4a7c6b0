import { describe, expect, it } from "vitest";
import { load, problemsOf } from "../../../support/loaded-document.ts";
import { useSettings } from "../../../support/settings.ts";

const settings = useSettings();

const mebibyte = 1_048_576;
const fill = (piece: string, size = mebibyte): string => piece.repeat(Math.floor(size / piece.length));

const billionLaughs = [
  "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]",
  ..."bcdefghi".split("").map((name, index) => {
    const below = "abcdefgh"[index];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${below}`).join(", ")}]`;
  }),
].join("\n");

describe("a text made to hurt", () => {
  it.each([
    ["nested lists", fill("["), /nesting at most 32 levels/],
    ["nested mappings", fill("{a: "), /nesting at most 32 levels/],
    [
      "nested indentation",
      Array.from({ length: 1_400 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      /nesting/,
    ],
    ["aliases of aliases", billionLaughs, /at most 50000 values/],
    ["an alias of itself", "&a [*a]", /nesting at most 32 levels/],
    ["more than a mebibyte", fill("# comment\n", mebibyte + 20), /at most 1048576 bytes/],
    ["a mebibyte of commas", `[${fill(",", mebibyte - 1)}`, /at most 100000 words/],
    [
      "a mebibyte of keys",
      Array.from({ length: 90_000 }, (_, index) => `k${index}: 1`).join("\n"),
      /at most 100000 words/,
    ],
    ["a mebibyte in one value", `version: ${fill("x", mebibyte - 9)}`, /text of at most 8192 characters/],
    ["a mebibyte of bad escapes", fill(`- "${"\\q".repeat(3_000)}"\n`), /at most 10000 backslashes/],
    ["a key of a mebibyte", `${fill("x", mebibyte - 3)}: 1`, /text of at most 8192 characters/],
    ["twenty thousand duplicates", fill("a: 1\n", 60_000), /duplicate key "a"/],
  ])("%s fails fast", (_, text, expected) => {
    const started = performance.now();
    const problems = problemsOf(text);
    expect(problems.join("\n")).toMatch(expected);
    expect(problems.length).toBeLessThanOrEqual(101);
    expect(Math.max(...problems.map((problem) => problem.length))).toBeLessThan(1_000);
    // Unguarded, several of these take many seconds or end the process; guarded, the slowest takes a fraction
    // of one.
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it("may name a place where it goes too deep", () => {
    expect(problemsOf(`version: 1\nsources:\n  ${"[".repeat(40)}`)).toEqual([
      "drains.yaml:3:35: expected nesting at most 32 levels deep",
    ]);
  });

  it.each(["__proto__", "constructor", "prototype"])("cannot reach prototypes by the name %s", (name) => {
    for (const text of [
      `${name}: { polluted: 1 }`,
      `version: 1\nsources: { ${name}: {} }\ndrains: {}`,
      `version: 1\nsources: { a: {} }\ndrains: { ${name}: { mode: live } }`,
      `version: 1\nsources: { a: {} }\ndrains: { a: { rules: [{ when: any, then: republish, set: { headers: { ${name}: x } } }] } }`,
    ]) {
      expect(problemsOf(text).join("\n")).toContain(`"${name}" cannot be a name`);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("has no merge keys", () => {
    const text = "version: 1\nsources: { a: &a {}, b: { <<: *a } }\ndrains: {}";
    expect(problemsOf(text)).toContain(
      "drains.yaml:2:27 sources.b: merge keys (<<) are not supported; expected the keys themselves",
    );
  });

  it("may use an alias for what it would write twice", () => {
    const text = `version: 1
sources: { a: {} }
drains:
  x: { select: { topicName: x }, schedule: &s { every: 1m } }
  y: { select: { topicName: y }, schedule: *s }`;
    expect(load(text).document.drains.map((drain) => drain.schedule)).toEqual([
      { kind: "every", everyMs: 60_000 },
      { kind: "every", everyMs: 60_000 },
    ]);
  });

  it("is not repeated by messages about its syntax", () => {
    for (const text of [
      'token: "hunter2',
      "token: hunter2: x",
      "token: !hunter2 x",
      "token: *hunter2x\n? [hunter2]",
    ]) {
      const told = problemsOf(text).filter((problem) => !problem.includes("unknown alias"));
      expect(told.join("\n")).not.toContain("hunter2 ");
      expect(told.join("\n")).not.toContain(": x");
      expect(told.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ["a rule's name", 'rules: [{ name: "a\\uD800", when: any, then: hold }]'],
    ["a selection", 'select: { queueName: "\\uD800" }'],
    ["a header's name", 'rules: [{ when: { header: { "X-\\uD800": a } }, then: hold }]'],
    ["a list", 'rules: [{ when: { label: [a, "\\uDC00\\uD800"] }, then: hold }]'],
  ])("has whole characters alone: not %s with half of one", (_, lines) => {
    const text = `version: 1\nsources: { a: {} }\ndrains: { a: { ${lines} } }`;
    expect(problemsOf(text).join("\n")).toContain("expected whole characters, got half a surrogate pair");
    // Two halves that belong together are a character.
    expect(problemsOf(text.replace(/(\\u[\dA-F]{4})+/, "\\uD83D\\uDE00")).join("\n")).not.toContain(
      "surrogate",
    );
  });

  it("is shown escaped and shortened where it is shown", () => {
    const text = `version: 1\nsources: { a: {} }\ndrains: { a: { mode: "\\e[31m${"x".repeat(500)}" } }`;
    const [problem = ""] = problemsOf(text);
    expect(problem).toContain('got "\\u001b[31mxxx');
    expect(problem.length).toBeLessThan(200);
  });

  it("fails as fast as a settings file", () => {
    for (const text of [fill("{a: "), billionLaughs, "__proto__: { polluted: 1 }", fill("x", mebibyte + 1)]) {
      const file = settings.write("settings.yaml", text);
      expect(settings.problemsOf({ file }).length).toBeGreaterThan(0);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

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
    expect(problemsOf(thousandRules(when)).join("\n")).toMatch(
      /^$|at most 50000 values|at most 100000 words/,
    );
    // A second or two on a quiet machine.
    expect(performance.now() - started).toBeLessThan(25_000);
  });

  it.each([
    ["(a{1000}){1000}", "RE2 syntax (invalid repeat count)"],
    ["(a|b|c|d){1000}", "a smaller regular expression"],
  ])("an expression that would hurt or means nothing is refused where it stands: %s", (source, expected) => {
    const text = `version: 1\nsources: { a: {} }\ndrains: { x: { rules: [{ when: { body: { regex: "${source}" } }, then: hold }] } }`;
    const [problem = "", ...others] = problemsOf(text);
    expect(problem).toContain("drains.yaml:3:49 drains.x.rules[0].when.body.regex: expected a");
    expect(problem).toContain(expected);
    expect(others).toEqual([]);
  });

  it("bodies that are merged keep names of prototypes out and other odd names in", () => {
    expect(problemsOf(merging("{ a: { __proto__: { b: 1 } } }")).join()).toContain(
      '"__proto__" cannot be a name',
    );
    expect(problemsOf(merging("{ toString: 1, hasOwnProperty: { valueOf: 2 } }"))).toEqual([]);
  });
});
