/** Files of `deploy/components/monitoring` with unit tests of the alerts, for promtool. */
export const alertTestFiles = ["rules.test.yaml", "rules-week.test.yaml"] as const;
