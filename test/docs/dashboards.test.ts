import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { indexMetrics } from "../../src/job/statistics/index-gauges.ts";
import { alertRules, runbookOf } from "../pages/dashboards/alert-rules.ts";
import { dashboards } from "../pages/dashboards/dashboards.ts";
import { ownMetrics } from "../pages/metrics-page.ts";
import { dashboardFiles, expressionsOf, readDashboard } from "../support/dashboards.ts";
import { readDoc } from "../support/markdown.ts";
import { isHere } from "../support/tools.ts";

const known = new Map(
  ownMetrics.flatMap(({ name, type, labels }) =>
    (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).map((end) => [`${name}${end}`, labels]),
  ),
);
const metricsIn = (expr: string): readonly string[] => expr.match(/\bredriver_\w+/g) ?? [];
const all = dashboardFiles.flatMap(expressionsOf);

describe.each(dashboardFiles)("%s", (file) => {
  it("is what npm run pages -- dashboards writes", () => {
    expect(JSON.parse(readDoc(file))).toEqual(JSON.parse(JSON.stringify(dashboards[file])));
  });

  it("has panels with ids and places of their own", () => {
    const { panels } = readDashboard(file);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.filter((cell) => Number(cell.split(",")[0]) > 23)).toEqual([]);
  });

  it("asks only for metrics and labels that redriver has", () => {
    const { templating } = readDashboard(file);
    const variables = templating.list.flatMap(({ query }) =>
      typeof query === "string" ? [] : [query.query],
    );
    const asked = [...expressionsOf(file).map(({ expr }) => expr), ...variables];
    expect(asked.flatMap(metricsIn).filter((name) => !known.has(name))).toEqual([]);
    // What scraping adds, and the bounds of a histogram.
    const added = ["namespace", "le"];
    const wrong = asked.flatMap((expr) =>
      [...expr.matchAll(/by \(([^)]*)\) \((?:\w+\()*(redriver_\w+)(?:\{([^}]*)\})?/g)].flatMap(
        ([, by = "", name = "", matchers = ""]) =>
          [...by.split(", "), ...[...matchers.matchAll(/(\w+)(?:=|!)/g)].map(([, label = ""]) => label)]
            .filter((label) => !added.includes(label) && known.get(name)?.includes(label) !== true)
            .map((label) => `${name} has no label ${label}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("writes legends of labels that its expressions keep", () => {
    const wrong = readDashboard(file).panels.flatMap((panel) =>
      panel.type === "row"
        ? []
        : panel.targets
            .filter(({ expr }) => expr.includes(" by ("))
            .flatMap(({ expr, legendFormat }) => {
              const [, kept = ""] = /by \(([^)]*)\)/.exec(expr) ?? [];
              const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
              return named.filter((label) => !kept.split(", ").includes(label)).map(() => panel.title);
            }),
    );
    expect(wrong).toEqual([]);
  });
});

it.skipIf(!isHere("promtool"))("every expression of the dashboards passes promtool check rules", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "redriver-dashboards-"));
  try {
    const rules = all.map(({ expr }, at) => ({ record: `panel:${at}`, expr }));
    writeFileSync(path.join(directory, "rules.yaml"), stringify({ groups: [{ name: "panels", rules }] }));
    const run = spawnSync("promtool", ["check", "rules", "rules.yaml"], { cwd: directory, encoding: "utf8" });
    expect({ status: run.status, said: run.stdout + run.stderr }).toMatchObject({ status: 0 });
    expect(run.stdout).toContain(`${all.length} rules found`);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it("every alert has a panel that leads to its runbook", () => {
  const descriptions = dashboardFiles.flatMap((file) =>
    readDashboard(file).panels.map((panel) => (panel.type === "row" ? "" : panel.description)),
  );
  const missing = alertRules.filter(
    ({ alert }) => !descriptions.some((text) => text.split("\n").includes(`${alert}: ${runbookOf(alert)}`)),
  );
  expect(missing.map(({ alert }) => alert)).toEqual([]);
});

it("every field of the search index statistics is on a dashboard", () => {
  const shown = new Set(all.flatMap(({ expr }) => metricsIn(expr)));
  expect(indexMetrics.filter(({ field, name }) => field !== null && !shown.has(name))).toEqual([]);
});
