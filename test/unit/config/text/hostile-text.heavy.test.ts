import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { formatProblem } from "../../../../src/config/problem.ts";
import { loadSettings } from "../../../../src/config/settings/load-settings.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const mebibyte = 1_048_576;
const fill = (piece: string, size = mebibyte): string => piece.repeat(Math.floor(size / piece.length));

const problemsOf = (text: string): string[] => {
  const outcome = loadDocument(text, "drains.yaml");
  return outcome.ok ? [] : outcome.problems.map(formatProblem);
};

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
    ["nested list items", fill("- "), /nesting at most 32 levels/],
    ["nested complex keys", fill("? "), /nesting at most 32 levels/],
    [
      "nested indentation",
      Array.from({ length: 1_400 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      /nesting/,
    ],
    ["aliases of aliases", billionLaughs, /at most 50000 values/],
    ["an alias of itself", "&a [*a]", /nesting at most 32 levels/],
    ["more than a mebibyte", fill("# comment\n", mebibyte + 20), /at most 1048576 bytes/],
    ["a mebibyte of characters of two bytes", fill("é"), /at most 1048576 bytes/],
    ["a mebibyte of commas", `[${fill(",", mebibyte - 1)}`, /at most 100000 words/],
    [
      "a mebibyte of keys",
      Array.from({ length: 90_000 }, (_, index) => `k${index}: 1`).join("\n"),
      /at most 100000 words/,
    ],
    ["a mebibyte in one value", `version: ${fill("x", mebibyte - 9)}`, /text of at most 8192 characters/],
    ["a mebibyte of digits", `version: ${fill("1", mebibyte - 10)}x`, /text of at most 8192 characters/],
    ["a mebibyte of bad escapes", fill(`- "${"\\q".repeat(3_000)}"\n`), /at most 10000 backslashes/],
    ["a key of a mebibyte", `${fill("x", mebibyte - 3)}: 1`, /text of at most 8192 characters/],
    ["twenty thousand duplicates", fill("a: 1\n", 60_000), /duplicate key "a"/],
    [
      "twelve thousand unknown keys",
      Array.from({ length: 12_000 }, (_, index) => `drain${index}: 1`).join("\n"),
      /unknown key "drain0"/,
    ],
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
    expect(({} as Record<string, unknown>)["mode"]).toBeUndefined();
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
    const outcome = loadDocument(text, "drains.yaml");
    expect(outcome.ok && outcome.document.drains.map((drain) => drain.schedule)).toEqual([
      { kind: "every", everyMs: 60_000 },
      { kind: "every", everyMs: 60_000 },
    ]);
  });

  it("is not repeated by messages about its syntax", () => {
    for (const text of [
      'token: "hunter2',
      "token: hunter2: x",
      "token: !hunter2 x",
      "hunter2",
      "token: *hunter2x\n? [hunter2]",
      "token: @hunter2",
    ]) {
      const told = problemsOf(text).filter((problem) => !problem.includes("unknown alias"));
      expect(told.join("\n")).not.toContain("hunter2 ");
      expect(told.join("\n")).not.toContain(": x");
      expect(told.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ["a rule's name", 'rules: [{ name: "a\\uD800", when: any, then: hold }]'],
    ["a queue", 'rules: [{ when: any, then: republish, set: { queue: "\\uDFFF" } }]'],
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
    const folder = mkdtempSync(join(tmpdir(), "redriver-config-"));
    try {
      const file = join(folder, "settings.yaml");
      for (const text of [
        fill("{a: "),
        billionLaughs,
        "__proto__: { polluted: 1 }",
        fill("x", mebibyte + 1),
      ]) {
        writeFileSync(file, text);
        const outcome = loadSettings({ file, env: {}, flags: {} });
        expect(outcome.ok).toBe(false);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
