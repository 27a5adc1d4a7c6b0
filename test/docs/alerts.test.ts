import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runbookScreen } from "../../src/people/console/screens/runbook.tsx";
import { alertRules as rules, alertTestFiles, runbookOf } from "../support/alert-tests.ts";
import { readDoc as read } from "../support/markdown.ts";
import { queueMetrics } from "../pages/metrics-page.ts";
import { wholeMetricsPage } from "../support/whole-metrics-page.ts";

interface RuleTest {
  readonly input_series: readonly { readonly series: string }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

const alerts = rules.map((rule) => rule.alert);
const ruleTests: readonly RuleTest[] = alertTestFiles.flatMap(
  (file) => parse(read(`deploy/components/monitoring/${file}`)).tests,
);
const runbooks = `${read("docs/runbooks.md")}\n${read("docs/runbooks-system.md")}`;

/** Every metric with its labels, as the metrics page of a daemon with one drain has them. */
async function metricsPage(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await wholeMetricsPage();
  const samples = [...page.matchAll(/^(redriver_\w+)(?:\{(.*)\})? /gm)];
  return new Map(
    samples.map(([, name = "", labels = ""]) => [
      name,
      [...labels.matchAll(/(\w+)="/g)].map((match) => match[1] ?? ""),
    ]),
  );
}
/** Those that Redis knows, without what a replica says of Redis. */
const ofQueue = new Set(queueMetrics.map(({ name }) => name).filter((name) => name !== "redriver_redis_up"));
/** The lowest of all that any replica has shown: a replica that has just started knows no history. */
const isLowest = (join = "", range = ""): boolean => join === "min" && range === "min_over_time(";
const metricsIn = (text: string) => text.match(/\bredriver_\w+/g) ?? [];

const load = (alert: string) => runbookScreen.load({ params: { alert } } as never);

describe("the alerts", () => {
  it("speak of no metric that redriver does not have, and neither do their tests or runbooks", async () => {
    const named = [
      ...rules.flatMap((rule) => metricsIn(rule.expr)),
      ...alertTestFiles.flatMap((file) => metricsIn(read(`deploy/components/monitoring/${file}`))),
      ...rules.flatMap(({ annotations }) => Object.values(annotations).flatMap(metricsIn)),
      ...metricsIn(runbooks),
    ];
    const metrics = await metricsPage();
    expect(named.length).toBeGreaterThan(rules.length);
    expect([...new Set(named)].filter((name) => !metrics.has(name))).toEqual([]);
  });

  it("group by labels that the metric has, and by the namespace that scraping adds", async () => {
    const metrics = await metricsPage();
    const groups = rules.flatMap((rule) => [
      ...rule.expr.matchAll(/by \(([^)]*)\) \((?:increase\()?(redriver_\w+)/g),
    ]);
    expect(groups.length).toBeGreaterThan(rules.length);
    const wrong = groups.flatMap(([, by = "", name = ""]) =>
      by
        .split(", ")
        .filter((label) => label !== "namespace" && metrics.get(name)?.includes(label) !== true)
        .map((label) => `${name} has no label ${label}`),
    );
    expect(wrong).toEqual([]);
  });

  it("are tested with series as redriver exports them", async () => {
    const metrics = await metricsPage();
    const series = ruleTests.flatMap((test) => test.input_series.map((input) => input.series));
    const wrong = series.filter((text) => {
      const name = /^\w+/.exec(text)?.[0] ?? "";
      const labels = [...text.matchAll(/(\w+)="/g)].map((match) => match[1] ?? "");
      const own = labels.filter((label) => !["namespace", "pod"].includes(label));
      return name.startsWith("redriver_") && own.join() !== metrics.get(name)?.join();
    });
    expect(wrong).toEqual([]);
  });

  it("join facts about the queue with max, because every replica tells the same", () => {
    const joins = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/(\w+) by \([^)]*\) \(((?:\w+\()?)(redriver_\w+)/g)]
        .filter(([, , , name = ""]) => ofQueue.has(name))
        .map(([found, join, range]) => ({ found, isGood: join === (isLowest(join, range) ? "min" : "max") })),
    );
    const mentions = rules.flatMap(({ expr }) => metricsIn(expr)).filter((name) => ofQueue.has(name));
    expect(joins).toHaveLength(mentions.length);
    expect(joins.filter(({ isGood }) => !isGood)).toEqual([]);
  });

  it("each have a severity, a summary, a description with a number and a first step, and their runbook", () => {
    expect(new Set(alerts).size).toBe(alerts.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Redriver[A-Z]\w+$/);
      expect(["critical", "warning", "info"]).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(["summary", "description", "runbook_url"]);
      expect(annotations["summary"]).not.toBe("");
      expect(annotations["description"]).toMatch(/\{\{(?: \$value|.* \| query)/);
      // Nothing has to be done about the all-clear.
      expect(labels.severity === "info" || annotations["description"]?.includes(" First step - ")).toBe(true);
      // rules.test.yaml has what comes out with a console's address, with another installation's and without one.
      expect(annotations["runbook_url"]).toBe(
        `{{ with printf \`redriver_console_info{namespace=%q}\` $labels.namespace | query }}{{ . | first | label \`url\` }}/runbooks/${alert}{{ else }}${runbookOf(alert)}{{ end }}`,
      );
    }
  });

  it("each fire in one unit test and stay silent in another", () => {
    const checks = ruleTests.flatMap((test) => test.alert_rule_test);
    const firing = checks.filter((check) => check.exp_alerts.length > 0).map((check) => check.alertname);
    const silent = checks.filter((check) => check.exp_alerts.length === 0).map((check) => check.alertname);
    expect([...new Set(firing)].toSorted()).toEqual(alerts.toSorted());
    expect([...new Set(silent)].toSorted()).toEqual(alerts.toSorted());
  });
});

describe("the runbooks", () => {
  const sections = runbooks
    .split(/^## |^# .*\n/m)
    .filter((section) => /^Redriver\w+\n/.test(section))
    .map((section) => ({ title: section.slice(0, section.indexOf("\n")), text: section }));

  it("have one heading per alert and no other", () => {
    expect(sections.map((section) => section.title).toSorted()).toEqual(alerts.toSorted());
  });

  const parts = ["Meaning", "Impact", "Look at", "Mitigation"];

  it.each(sections)("say of $title what it means, what it does, where to look and what to do", ({ text }) => {
    const written = text.split(/^### /m).slice(1);
    expect(written.map((part) => part.slice(0, part.indexOf("\n")))).toEqual(parts);
    expect(written.filter((part) => part.slice(part.indexOf("\n")).trim().length < 40)).toEqual([]);
  });

  it("say which alerts page somebody at night", () => {
    const [head = ""] = runbooks.split("\n## ");
    const critical = rules.filter(({ labels }) => labels.severity === "critical").map(({ alert }) => alert);
    expect(head.match(/Redriver\w+/g)).toEqual(critical.toSorted());
  });

  it("are pages of the console, one for each alert and no other", async () => {
    for (const alert of alerts) {
      const model = await load(alert);
      expect(runbookScreen.title(model)).toBe(alert);
      const page = String(await runbookScreen.sections[0]?.render(model, {} as never));
      expect([...page.matchAll(/<h2>([^<]*)</g)].map(([, title]) => title)).toEqual(parts);
      expect(page).not.toMatch(/`|\*\*|\]\(/);
      expect(page).toContain("<li>");
      expect(page).not.toMatch(/<p>\s*(?:-|\d+\.) /);
    }
    expect(await load("RedriverNoSuchAlert")).toBeNull();
    expect(await load("../package.json")).toBeNull();
  });
});
