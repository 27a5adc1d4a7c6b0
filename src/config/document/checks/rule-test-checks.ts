import { oneOfText, unknownName, type ValuePath } from "../../problem.ts";
import { asMap, type Raw } from "./raw-document.ts";
import type { Report } from "./report-problem.ts";
import { defaultRuleName, noRule } from "./rule-checks.ts";

export function checkRuleTests(
  tests: readonly unknown[],
  rules: readonly unknown[],
  path: ValuePath,
  report: Report,
): void {
  const names = rules.map((rule, index) => asMap(rule)["name"] ?? defaultRuleName(index));
  const known = names.filter((name) => typeof name === "string");
  const seen = new Set<string>();
  for (const [index, value] of tests.entries()) {
    const test = asMap(value);
    const here = [...path, index];
    const { name } = test;
    if (typeof name === "string" && seen.has(name)) {
      report([...here, "name"], "value", "expected another name than a test above it");
    }
    if (typeof name === "string") seen.add(name);
    checkGiven(asMap(test["given"]), [...here, "given"], report);
    checkExpected(asMap(test["expect"]), known, [...here, "expect"], report);
  }
}

const onlyOneOf = [
  ["age", "dlqId"],
  ["messageAge", "createdAt"],
  ["callerIp", "callerIP"],
  ["label", "labels"],
] as const;

function checkGiven(given: Raw, path: ValuePath, report: Report): void {
  for (const [one, other] of onlyOneOf) {
    if (given[one] === undefined || given[other] === undefined) continue;
    report([...path, other], "key", `expected either ${one} or ${other}, got both`);
  }
}

function checkExpected(expected: Raw, known: readonly string[], path: ValuePath, report: Report): void {
  const { rule, then, item } = expected;
  if (typeof rule === "string" && rule !== noRule && !known.includes(rule)) {
    const names = known.length === 0 ? noRule : oneOfText([...known, noRule]);
    report([...path, "rule"], "value", unknownName("rule", rule, known, names));
  }
  if (item !== undefined && then !== undefined && then !== "republish") {
    report([...path, "item"], "key", "expected item only beside then: republish");
  }
}
