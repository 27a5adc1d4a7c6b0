import { readFileSync } from "node:fs";
import { parse } from "yaml";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
}

const { spec } = parse(readFileSync("deploy/components/monitoring/prometheus-rule.yaml", "utf8")) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] };
};

/** From the root of the repository, each expression in one line. */
export const alertRules: readonly AlertRule[] = spec.groups
  .flatMap(({ rules }) => rules)
  .map((rule) => ({ ...rule, expr: toOneLine(rule.expr) }));

export function alertRule(name: string): AlertRule {
  const rule = alertRules.find(({ alert }) => alert === name);
  if (rule === undefined) throw new Error(`there is no alert ${name}`);
  return rule;
}

/** In this repository: an alert has the address of the console. */
export function runbookOf(name: string): string {
  const page = ["docs/runbooks.md", "docs/runbooks-system.md"].find((file) =>
    readFileSync(file, "utf8").includes(`\n## ${name}\n`),
  );
  if (page === undefined) throw new Error(`${name} has no runbook`);
  return `${page}#${name.toLowerCase()}`;
}

export function toOneLine(expr: string): string {
  return expr
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\( (?=\S)/g, "(")
    .replaceAll(/(?<=\S) \)/g, ")")
    .trim();
}
