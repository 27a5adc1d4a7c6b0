import { describe, expect, it } from "vitest";
import { proposePointer } from "../../../../src/config/document/schema/propose-pointer.ts";
import { problemsOf, withDrain } from "../../../support/loaded-document.ts";
import { loadWhen } from "../../../support/decide-by-document.ts";

const body = JSON.stringify({
  type: "x",
  a: { b: ["x"] },
  "a b": "x",
  "o'k": "x",
  "s/l": "x",
  "t~d": "x",
  $ref: "x",
});

describe("a text that is no JSON pointer", () => {
  it.each([
    ["$.type", "/type"],
    ["type", "/type"],
    ["$['type']", "/type"],
    ["$.a.b[0]", "/a/b/0"],
    ["a.b[0]", "/a/b/0"],
    ["#/a/b/0", "/a/b/0"],
    ["#/a%20b", "/a b"],
    ["$['a b']", "/a b"],
    ["o'k", "/o'k"],
    ["$['s/l']", "/s~1l"],
    ["t~d", "/t~0d"],
    ["$ref", "/$ref"],
  ])("is refused with one that is accepted and matches: %s", (written, pointer) => {
    const key = JSON.stringify(written);
    const wrong = loadWhen(`{ body: { ${key}: x } }`);
    expect(wrong.problems).toEqual([
      expect.stringMatching(/^drains\.yaml:6:\d+ .* a JSON pointer, which begins with a slash, got /),
    ]);
    const proposal = /expected ("(?:[^"\\]|\\.)*"), a JSON pointer/.exec(wrong.problems[0] ?? "")?.[1];
    expect(proposal).toBe(JSON.stringify(pointer));
    expect(loadWhen(`{ body: { ${proposal}: x } }`).matches({ body })).toBe(true);
    expect(loadWhen(`{ responseBody: { ${proposal}: x } }`).matches({ responseBody: body })).toBe(true);
    const patch = `set: { body: { patch: [{ op: remove, path: ${key} }] } }`;
    const patched = problemsOf(withDrain("rules:", `  - { when: any, then: republish, ${patch} }`));
    expect(patched).toEqual([expect.stringContaining(`expected ${proposal}, a JSON pointer`)]);
  });

  it("has a proposal that is accepted, or none", () => {
    const texts = ["$", "#", "", "...", "[", "~", "//", "$..a", "[0]", "/~", "a[*]", "#%", "$['", " ", "@"];
    const proposals = texts.flatMap((text) => proposePointer(text) ?? []);
    expect(proposals.length).toBeGreaterThan(3);
    for (const proposal of proposals) {
      const { problems, warnings } = loadWhen(`{ body: { ${JSON.stringify(proposal)}: x } }`);
      expect([...problems, ...warnings], proposal).toEqual([]);
    }
  });
});

describe("a JSON pointer", () => {
  it.each([
    ["/$ref", { $ref: "x" }],
    ["/a.b", { "a.b": "x" }],
    ["/@type", { "@type": "x" }],
    ["/", { "": "x" }],
  ])("may have any sign in its names: %s", (pointer, value) => {
    const loaded = loadWhen(`{ body: { ${JSON.stringify(pointer)}: x } }`);
    expect(loaded.warnings).toEqual([]);
    expect(loaded.matches({ body: JSON.stringify(value) })).toBe(true);
  });
});

const mark = "\ufeff";

describe("JSON behind a byte order mark", () => {
  it.each(["body", "responseBody"])("is JSON for rules: %s", (field) => {
    const rule = loadWhen(`{ ${field}: { /type: x, "": { exists: true } } }`);
    expect(rule.matches({ [field]: `${mark}${body}` })).toBe(true);
    expect(rule.matches({ [field]: body })).toBe(true);
    // One mark is passed over; what is behind it has to be JSON.
    expect(rule.matches({ [field]: `${mark}${mark}${body}` })).toBe(false);
    expect(rule.matches({ [field]: mark })).toBe(false);
  });
});
