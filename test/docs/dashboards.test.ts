import { describe, expect, it } from "vitest";
import { indexMetrics } from "../../src/job/statistics/index-gauges.ts";
import { ownMetrics, questionOf } from "../pages/metrics-page.ts";
import { alertRules, runbookOf } from "../support/alert-tests.ts";
import { dashboardFiles, expressionsOf, readDashboard } from "../support/dashboards.ts";

const known = new Map(
  ownMetrics.flatMap(({ name, type, labels }) =>
    (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).map((end) => [`${name}${end}`, labels]),
  ),
);
const metricsIn = (expr: string): readonly string[] => expr.match(/\bredriver_\w+/g) ?? [];
const all = dashboardFiles.flatMap(expressionsOf);
const shownPanels = (file: string) => readDashboard(file).panels.filter((panel) => panel.type !== "row");

/** As an alert has it. */
const withoutFilters = (expr: string): string =>
  expr.replaceAll(/(?:, )?\w+=~"\$\w+"/g, "").replaceAll("{}", "");
const toOneLine = (expr: string): string =>
  expr
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\( (?=\S)/g, "(")
    .replaceAll(/(?<=\S) \)/g, ")")
    .trim();

describe.each(dashboardFiles)("%s", (file) => {
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

  it("filters each metric by every variable that it has a label for", () => {
    const { templating } = readDashboard(file);
    const variables = templating.list.map(({ name }) => name);
    const wrong = shownPanels(file).flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) =>
        [...expr.matchAll(/\b(redriver_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = "", matchers = ""]) =>
          variables
            .filter((one) => ["namespace", ...(known.get(name) ?? [])].includes(one))
            .filter((one) => !matchers.includes(`${one}=~"$${one}"`))
            .map((one) => `${title}: ${name} by ${one}`),
        ),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("says of each panel what its metrics answer, and then its alerts, whose expressions it shows", () => {
    for (const { title, description, targets } of shownPanels(file)) {
      const used = new Set(targets.flatMap(({ expr }) => metricsIn(expr)));
      const asked = ownMetrics.filter(({ name, type }) =>
        type === "histogram" ? used.has(`${name}_bucket`) : used.has(name),
      );
      const alerts = alertRules.filter(({ alert }) => description.includes(`${alert}: `));
      expect(description.split("\n").filter(Boolean).toSorted(), title).toEqual(
        [
          ...asked.map(({ name }) => questionOf(name)),
          ...alerts.map(({ alert }) => `${alert}: ${runbookOf(alert)}`),
        ].toSorted(),
      );
      const shown = targets.map(({ expr }) => withoutFilters(expr));
      const hidden = alerts.filter(({ expr }) => !shown.some((part) => toOneLine(expr).includes(part)));
      expect(hidden, title).toEqual([]);
    }
  });

  it("writes legends of labels that its expressions keep", () => {
    const wrong = shownPanels(file).flatMap(({ title, targets }) =>
      targets
        .filter(({ expr }) => expr.includes(" by ("))
        .flatMap(({ expr, legendFormat }) => {
          const [, kept = ""] = /by \(([^)]*)\)/.exec(expr) ?? [];
          const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
          return named.filter((label) => !kept.split(", ").includes(label)).map(() => title);
        }),
    );
    expect(wrong).toEqual([]);
  });
});

it("every alert has a panel that leads to its runbook", () => {
  const lines = dashboardFiles.flatMap(shownPanels).flatMap(({ description }) => description.split("\n"));
  const missing = alertRules.filter(({ alert }) => !lines.includes(`${alert}: ${runbookOf(alert)}`));
  expect(missing.map(({ alert }) => alert)).toEqual([]);
});

it("every field of the search index statistics is on a dashboard", () => {
  const shown = new Set(all.flatMap(({ expr }) => metricsIn(expr)));
  expect(indexMetrics.filter(({ field, name }) => field !== null && !shown.has(name))).toEqual([]);
});
