import { runRuleTests, type TestResult } from "../../src/people/cli/rules/run-tests.ts";
import { documentJsonSchema } from "../../src/config/document/json-schema.ts";
import { loadDocument } from "../../src/config/document/load-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import type { DrainsDocument } from "../../src/job/contracts/drains-document.ts";
import { anyItem } from "./item-checks.ts";

/**
 * What is wrong with a document, warnings included. No date is judged, so that no test goes stale by itself.
 */
export function complaints(text: string, fileName: string): readonly string[] {
  const outcome = loadDocument(text, fileName);
  return (outcome.ok ? outcome.warnings : outcome.problems).map(formatProblem);
}

export function loaded(text: string, fileName: string): DrainsDocument {
  const outcome = loadDocument(text, fileName);
  if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
  return outcome.document;
}

/** The smallest document with this rule. */
export function inDrain(rule: string, mode = "plan", archive = "archive: { dir: /archive }\n"): string {
  return `version: 1\n${archive}sources: { default: {} }\ndrains:\n  example:\n    mode: ${mode}\n    rules: [${rule}]\n`;
}

/** How a document's own tests end. */
export function resultsOf(text: string, fileName: string): readonly TestResult[] {
  const surroundings = {
    headerPrefix: "Upstash-",
    checkItemOf: () => anyItem,
    locate: () => ({ line: 1, column: 1 }),
  };
  return runRuleTests(loaded(text, fileName).drains, surroundings).results;
}

/** Rules that decide none of their drain's tests, as `drain rule`. */
export function unusedRules(text: string, fileName: string): readonly string[] {
  const used = new Set(
    resultsOf(text, fileName).flatMap(({ drain, walk }) =>
      walk.filter(({ outcome }) => outcome === "held").map(({ rule }) => `${drain} ${rule}`),
    ),
  );
  return loaded(text, fileName)
    .drains.flatMap(({ name, rules }) => rules.map((rule) => `${name} ${rule.name}`))
    .filter((rule) => !used.has(rule));
}

type Node = Readonly<Record<string, unknown>>;

export function asNode(value: unknown): Node {
  return typeof value === "object" && value !== null ? (value as Node) : {};
}

/**
 * The keys of a section, by the way that leads to it through the JSON Schema. What is refused whatever its
 * value is left out.
 */
export function keysInSchema(...way: readonly string[]): readonly string[] {
  const schema = documentJsonSchema();
  let node: Node = way[0] === "when" ? asNode(asNode(schema["definitions"])["when"]) : schema;
  for (const step of way[0] === "when" ? [] : way) {
    const next =
      step === "*" ? (node["additionalProperties"] ?? node["items"]) : asNode(node["properties"])[step];
    node = toSection(asNode(next));
  }
  const properties = Object.entries(asNode(node["properties"]));
  if (properties.length === 0) throw new Error(`the schema has no section ${way.join(".")}`);
  return properties
    .filter(([, value]) => asNode(value)["not"] === undefined)
    .map(([key]) => key)
    .toSorted();
}

/** Of alternatives the ones that are mappings, together. */
function toSection(node: Node): Node {
  const forms = ((node["anyOf"] ?? node["oneOf"] ?? []) as readonly unknown[]).map(asNode);
  const sections = forms.filter((form) => form["properties"] !== undefined);
  if (sections.length === 0) return node;
  return {
    properties: Object.assign({}, ...sections.map((section) => asNode(section["properties"]))) as Node,
  };
}
