import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runRuleTests, toTestText } from "../../src/people/cli/rules/run-tests.ts";
import { parseYaml } from "../../src/config/text/yaml-tree.ts";
import {
  asNode,
  complaints,
  keysInSchema,
  loaded,
  resultsOf,
  unusedRules,
} from "../support/drains-documents.ts";
import { codeBlocks, readDoc } from "../support/markdown.ts";
import { anyItem } from "../support/item-checks.ts";

const pages = ["rules", "rules-when", "cookbook", "reasons"].map((name) => `docs/${name}.md`);

/** An example is a whole document, or what stands below a drain. */
function toDocument(example: string): string {
  if (example.startsWith("version:")) return example;
  const drain = example.replaceAll(/^(?=.)/gm, "    ");
  return `version: 1\narchive: { dir: /archive }\nsources: { default: {} }\ndrains:\n  example:\n${drain}`;
}

const blocks = pages.flatMap((page) => codeBlocks(readDoc(page)).map((block) => ({ ...block, page })));
const examples = blocks
  .filter(({ language }) => language === "yaml")
  .map((block) => ({ ...block, document: toDocument(block.text) }));
const withRules = examples.filter(({ document }) => loaded(document, "example").drains.length > 0);

/** Values under this key, at any depth. */
function valuesUnder(key: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((member) => valuesUnder(key, member));
  return Object.entries(asNode(value)).flatMap(([name, member]) => [
    ...(name === key ? [member] : []),
    ...valuesUnder(key, member),
  ]);
}

describe("the examples of docs/rules.md and the pages beside it", () => {
  it("are every part that is written in YAML", () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(blocks.filter(({ text, language }) => language === "" && /\bthen: /.test(text))).toEqual([]);
  });

  it.each(examples)("load without a warning: $page:$line ($heading)", ({ document, page, line }) => {
    expect(complaints(document, `${page}:${line}`)).toEqual([]);
  });

  it.each(withRules)(
    "pass the tests that they come with: $page:$line ($heading)",
    ({ document, page, line }) => {
      expect(resultsOf(document, `${page}:${line}`).filter(({ passed }) => !passed)).toEqual([]);
    },
  );

  it.each(withRules)("have a test for every rule: $page:$line ($heading)", ({ document, page, line }) => {
    expect(resultsOf(document, `${page}:${line}`).length).toBeGreaterThan(0);
    expect(unusedRules(document, `${page}:${line}`)).toEqual([]);
  });

  it("show a failing test as redriver rules test does", () => {
    const text = `version: 1
sources: { default: {} }
drains:
  orders:
    rules:
      - { name: outage, when: { responseStatus: [502-504, none] }, then: republish }
      - { name: too-old-to-matter, when: { messageAge: "> 48h" }, then: hold }
    tests:
      - { name: a gateway error is sent again, given: { responseStatus: 503 }, expect: { then: republish } }
      -
        name: an old order is archived, not sent
        given: { responseStatus: 504, messageAge: 3d }
        expect: { then: drop, rule: too-old-to-matter }
`;
    const tree = parseYaml(text, "drains.yaml");
    const run = runRuleTests(loaded(text, "drains.yaml").drains, {
      headerPrefix: "Upstash-",
      checkItemOf: () => anyItem,
      locate: (way) => (tree.ok ? tree.tree.locate(way, "value") : { line: 0, column: 0 }),
    });
    const shown = codeBlocks(readDoc("docs/cookbook.md"));
    expect(shown.map((block) => block.text)).toContain(toTestText(80, "drains.yaml", run));
  });

  it("use every key of when and of set", () => {
    const documents = examples.map(({ document }) => parse(document) as unknown);
    const used = (key: string) =>
      documents
        .flatMap((document) => valuesUnder(key, document).flat())
        .flatMap((value) => Object.keys(asNode(value)));
    const nested = ["any", "all", "not"];
    const asked = new Set([...used("when"), ...nested.flatMap(used)]);
    expect(keysInSchema("when").filter((key) => !asked.has(key))).toEqual([]);
    const changed = new Set(used("set"));
    expect(keysInSchema("drains", "*", "rules", "*", "set").filter((key) => !changed.has(key))).toEqual([]);
  });
});
