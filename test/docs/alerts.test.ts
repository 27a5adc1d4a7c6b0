import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { DrainName, SourceId } from "../../src/ports/ids.ts";
import type { QueueFacts } from "../../src/ports/queue-facts.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { ask } from "../support/ask.ts";
import { lanes } from "../support/metrics.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
interface RuleTest {
  readonly input_series: readonly { readonly series: string }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  read("deploy/monitoring/prometheus-rule.yaml"),
).spec;
const rules = spec.groups.flatMap((group) => group.rules);
const alerts = rules.map((rule) => rule.alert);
const ruleTests: readonly RuleTest[] = parse(read("deploy/monitoring/rules.test.yaml")).tests;
const runbooks = read("docs/runbooks.md");

const drain = "orders" as DrainName;
const source = "main" as SourceId;
const facts: QueueFacts = {
  redisMemoryShare: 0.25,
  redisFit: true,
  documentHash: "h",
  drains: [
    {
      drain,
      source,
      acting: true,
      guards: [{ index: "catalog", effect: "open" }],
      retentionMs: 1,
      destinations: [],
      facts: {
        due: 1,
        held: 1,
        parked: 1,
        inDoubt: 1,
        exact: true,
        reasons: { due: {}, held: {}, parked: {} },
        oldestRecordAt: 1,
        lastSuccessAt: 1,
        lastFullAt: 1,
        failures: [],
        seen: null,
        pace: {},
        backlog: null,
        openPass: null,
        lastOutcome: "complete",
      },
    },
  ],
  sources: [
    {
      source,
      summary: {
        epoch: "e",
        sequence: 1,
        at: 1,
        open: 1,
        unknown: 1,
        oldestOpenAt: 1,
        pendingDelete: 1,
        oldestPendingAt: 1,
        failedDeletes: 1,
        gone: 0,
        settleGate: "open",
      },
      censusEveryMs: 1,
      depth: { count: 9, exact: true },
      failures: [],
      lanes,
      census: {
        at: 1,
        counted: "listing",
        depth: 1,
        unselected: 1,
        oldestUnselectedAt: 1,
        strayComeBacks: { count: 0, top: [] },
        oldestEnteredAt: 1,
        earliestExpiryAt: 1,
        expiringUnarchived: 1,
        expiringAccepted: 1,
        documentHash: "h",
      },
    },
  ],
};

/** Every metric with its labels, as the metrics page of a daemon with one drain has them. */
async function metricsPage(): Promise<ReadonlyMap<string, readonly string[]>> {
  const metrics = createMetrics({
    version: "0",
    readFacts: async () => facts,
    indexGauges: async () => [],
    clock: { sleep: () => new Promise(() => undefined) },
  });
  metrics.adopt({
    hash: "h",
    sources: [{ id: source }],
    drains: [{ name: drain, source: { id: source } }],
    indexes: [],
  });
  metrics.events.emit({ type: "archive:volume-seen", verdict: "fit", complaint: "" });
  const page = await metrics.render();
  const samples = [...page.matchAll(/^(redriver_\w+)(?:\{(.*)\})? /gm)];
  return new Map(
    samples.map(([, name = "", labels = ""]) => [
      name,
      [...labels.matchAll(/(\w+)="/g)].map((match) => match[1] ?? ""),
    ]),
  );
}
const metricsIn = (text: string) => text.match(/\bredriver_\w+/g) ?? [];

describe("the alerts", () => {
  it("speak of no metric that redriver does not have, and neither do their tests or runbooks", async () => {
    const named = [
      ...rules.flatMap((rule) => metricsIn(rule.expr)),
      ...metricsIn(read("deploy/monitoring/rules.test.yaml")),
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
      return name !== "up" && own.join() !== metrics.get(name)?.join();
    });
    expect(wrong).toEqual([]);
  });

  it("join facts about the queue with max, because every replica tells the same", () => {
    const facts =
      /(\w+) by \([^)]*\) \((?:m(?:ax|in)_over_time\(|increase\()?redriver_(?:lane(?:_\w+)?|records|oldest_\w+|earliest_\w+|pass_last_\w+|drain_acting|pending_deletes|source_\w+|guard_closed|lanes|settle_gate_closed|redis_fit|redis_memory_ratio)\b/g;
    const ofEachReplica = new Set(["redriver_redis_up", "redriver_config_last_reload_successful"]);
    const joins = rules.flatMap((rule) => [...rule.expr.matchAll(facts)].map((match) => match[1]));
    const mentions = rules.flatMap((rule) =>
      metricsIn(rule.expr).filter(
        (name) =>
          /^redriver_(?:source_)?lane/.test(name) || !(name.endsWith("_total") || ofEachReplica.has(name)),
      ),
    );
    expect(joins).toEqual(mentions.map(() => "max"));
  });

  it("each have a severity, a summary, a description with a number, and their runbook", () => {
    expect(new Set(alerts).size).toBe(alerts.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Redriver[A-Z]\w+$/);
      expect(["critical", "warning"]).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(["summary", "description", "runbook_url"]);
      expect(annotations["summary"]).not.toBe("");
      expect(annotations["description"]).toContain("{{ $value");
      expect(annotations["runbook_url"]).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
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
    .split(/^## /m)
    .slice(1)
    .map((section) => ({ title: section.slice(0, section.indexOf("\n")), text: section }));

  it("have one heading per alert and no other", () => {
    expect(sections.map((section) => section.title).toSorted()).toEqual(alerts.toSorted());
  });

  it.each(sections)(
    "say of $title what it means, what it does, what to look at and what to do",
    ({ text }) => {
      const parts = text.split(/^### /m).slice(1);
      expect(parts.map((part) => part.slice(0, part.indexOf("\n")))).toEqual([
        "Meaning",
        "Impact",
        "Look at",
        "Mitigation",
      ]);
      expect(parts.filter((part) => part.slice(part.indexOf("\n")).trim().length < 40)).toEqual([]);
    },
  );

  it("name only commands that there are, with flags that they have", async () => {
    const named = [...new Set([...runbooks.matchAll(/`redriver ([^`]+)`/g)].map((match) => match[1] ?? ""))];
    expect(named.length).toBeGreaterThan(20);
    const { out: everywhere } = await ask(["--help"]);
    const wrong = await Promise.all(
      named.map(async (text) => {
        const words = text.split(" ");
        const group = ["parked", "failures", "rules", "archive", "config", "index"].includes(words[0] ?? "");
        const { exitCode, out } = await ask([...words.slice(0, group ? 2 : 1), "--help"]);
        const flags = words.filter((word) => word.startsWith("--"));
        const unknown = flags.filter((flag) => !`${everywhere}${out}`.includes(` ${flag} `));
        return exitCode === 0 && unknown.length === 0 ? [] : [text];
      }),
    );
    expect(wrong.flat()).toEqual([]);
  });

  it("say what to do with the commands that act on single records", () => {
    const wanted = new Set(["RedriverOldestRecordTooOld", "RedriverExpiryNear"]);
    const texts = sections.filter(({ title }) => wanted.has(title)).map(({ text }) => text);
    expect(texts).toHaveLength(wanted.size);
    for (const command of ["status", "plan", "apply", "parked list", "parked release", "archive show"]) {
      for (const text of texts) expect(text).toContain(`\`redriver ${command}`);
    }
  });
});
