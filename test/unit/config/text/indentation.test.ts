import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findIndentationFault } from "../../../../src/config/text/indentation.ts";
import { parseYaml } from "../../../../src/config/text/yaml-tree.ts";
import { formatProblem } from "../../../../src/config/problem.ts";
import { codeBlocks, readDoc, root } from "../../../support/markdown.ts";
import { wholeDocument } from "../../../support/whole-document.ts";

const head = "version: 1\nsources: { default: {} }\ndrains:\n  orders:\n";

function told(text: string): readonly string[] {
  const { problems } = parseYaml(text, "drains.yaml");
  return problems.map(formatProblem);
}

describe("a line that is indented otherwise than its neighbours is one problem", () => {
  it.each([
    [
      "a space too deep after a mapping in braces",
      "    select: { topicName: a }\n     mode: plan\n    rules: []\n",
      "drains.yaml:6:6: indented deeper than its neighbours (line 5); expected 4 spaces, got 5",
    ],
    [
      "deeper below a key that has its value",
      "    mode: plan\n      rules:\n        - { when: any, then: hold }\n",
      "drains.yaml:6:7: indented deeper than its neighbours (line 5); expected 4 spaces, got 6",
    ],
    [
      "two spaces too shallow in a list",
      "    rules:\n      - name: a\n        when: any\n      then: hold\n",
      "drains.yaml:8:7: indented less than its neighbours (line 7); expected 8 spaces, got 6",
    ],
    [
      "one space short in a list",
      "    rules:\n      - name: a\n       when: any\n        then: hold\n",
      "drains.yaml:7:8: indented less than its neighbours (line 6); expected 8 spaces, got 7",
    ],
    [
      "a dash one space short",
      "    rules:\n      - { when: any, then: hold }\n     - { when: any, then: hold }\n",
      "drains.yaml:7:6: indented less than its neighbours (line 6); expected 6 spaces, got 5",
    ],
    [
      "one space short, behind comments and blank lines",
      "    mode: plan\n\n    # why\n   minAge: 2m\n    rules: []\n",
      "drains.yaml:8:4: indented less than its neighbours (line 5); expected 4 spaces, got 3",
    ],
  ])("%s", (_, lines, problem) => {
    expect(told(head + lines)).toEqual([problem]);
  });

  it("and so are tabs, however many lines have them", () => {
    expect(told(`${head}\tmode: plan\n`)).toEqual([
      "drains.yaml:5:1: expected spaces for indentation, not tabs",
    ]);
    expect(told(`${head}\tmode: plan\n\tminAge: 1m\n\trules: []\n`)).toEqual([
      "drains.yaml:5:1: expected spaces for indentation, not tabs (also lines 6, 7)",
    ]);
  });
});

describe("what is no matter of indentation", () => {
  it.each([
    ["a bracket that is not closed", "    rules: [\n", "expected a closing bracket, or deeper indentation"],
    ["a quote that is not closed", '    source: "eu\n', "expected a closing quote, bracket, comma or colon"],
    ["a colon in a value", "    source: a: b\n", "expected quotes around a value that contains a colon"],
  ])("is told as what it is: %s", (_, lines, expected) => {
    expect(told(head + lines)).toEqual([expect.stringContaining(expected)]);
  });

  it("keeps what is wrong above a misplaced line", () => {
    expect(told(`${head}    source: a: b\n    mode: plan\n     minAge: 2m\n`)).toEqual([
      expect.stringContaining("drains.yaml:5:13: expected quotes"),
      expect.stringContaining("drains.yaml:7:6: indented deeper"),
    ]);
  });

  const shipped = ["config", "config/cookbook"].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => readDoc(`${folder}/${name}`)),
  );
  const examples = [
    "README",
    ...["rules", "rules-when", "rules-set", "reasons", "emulator"].map((name) => `docs/${name}`),
  ].flatMap((name) =>
    codeBlocks(readDoc(`${name}.md`)).flatMap(({ language, text }) => (language === "yaml" ? [text] : [])),
  );

  it.each([
    wholeDocument,
    ...shipped,
    ...examples,
    "a:\n- b\n- c: 1\n  d: 2\ne: 3\n",
    'a: "x\n  b: 1"\nc: |\n  deep\n    deeper: 1\nd: >-\n  e: f\n   g: h\ni:\n  - - 1\n    - 2\n  -\n    j: 1\n',
    "a: {\n b: 1,\n    c: [ 2,\n  3 ] }\nd: plain\n   goes on\n'e': 1\n",
  ])("finds no fault in a text that has none (%#)", (text) => {
    expect(told(text)).toEqual([]);
    expect(findIndentationFault(text)).toBeNull();
  });

  it("is found in as many lines as the gate lets through in well under a second", () => {
    const text = "a: { b: [ 'c' ] }\n".repeat(6_000) + " d: 1\n";
    const startedAt = performance.now();
    expect(findIndentationFault(text)).toMatchObject({ line: 6_001, way: "deeper" });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});
