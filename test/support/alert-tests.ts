import { parse } from "yaml";
import { readDoc } from "./markdown.ts";

/** Files of `deploy/components/monitoring` with unit tests of the alerts, for promtool. */
export const alertTestFiles = ["rules.test.yaml", "rules-hours.test.yaml", "rules-week.test.yaml"] as const;

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const { spec } = parse(readDoc("deploy/components/monitoring/prometheus-rule.yaml")) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly AlertRule[] }[] };
};

export const alertRules: readonly AlertRule[] = spec.groups.flatMap(({ rules }) => rules);

/** In this repository: an alert that fires has the address of the console. */
export function runbookOf(alert: string): string {
  const page = ["docs/runbooks.md", "docs/runbooks-system.md"].find((file) =>
    readDoc(file).includes(`\n## ${alert}\n`),
  );
  return `${page}#${alert.toLowerCase()}`;
}
