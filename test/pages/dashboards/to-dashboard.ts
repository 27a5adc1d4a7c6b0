/** A plan of panels as Grafana's JSON, of the form that Grafana 10 and newer import. */
import { ownMetrics, questionOf } from "../metrics-page.ts";
import { runbookOf } from "./alert-rules.ts";
import type { DashboardPlan, Panel, Query, Section, Variable } from "./panels.ts";

const datasource = { type: "prometheus", uid: "${datasource}" } as const;
/** Grafana's grid has 24 columns. */
const sizes = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } } as const;

export function toDashboard({ uid, title, variables, sections }: DashboardPlan) {
  const names = variables.map(({ name }) => name);
  return {
    uid,
    title,
    tags: ["redriver"],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    timezone: "browser",
    time: { from: "now-6h", to: "now" },
    annotations: { list: [] },
    links: [],
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
        ...variables.map((variable, position) => toVariable(variable, names.slice(0, position))),
      ],
    },
    panels: toPanels(sections, names),
  };
}

function toVariable({ name, label, metric }: Variable, before: readonly string[]) {
  const query = `label_values(${withFilters(metric, before)}, ${name})`;
  return {
    name,
    label,
    type: "query",
    datasource,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    // Also what has no such label, as without Kubernetes.
    allValue: ".*",
    current: { text: "All", value: "$__all" },
  };
}

function toPanels(sections: readonly Section[], variables: readonly string[]) {
  const all: object[] = [];
  let y = 0;
  let id = 1;
  for (const { title, panels, isFolded = false } of sections) {
    // Grafana keeps the panels of a folded row in the row.
    const inRow: object[] = [];
    const row = { id: id++, type: "row", title, collapsed: isFolded, gridPos: { x: 0, y, w: 24, h: 1 } };
    all.push(isFolded ? { ...row, panels: inRow } : row);
    y += 1;
    let x = 0;
    let rowHeight = 0;
    for (const panel of panels) {
      const { w, h } = sizes[panel.kind];
      if (x + w > 24 || (rowHeight > 0 && rowHeight !== h)) {
        y += rowHeight;
        x = 0;
      }
      const placed = { id: id++, gridPos: { x, y, w, h }, ...toPanel(panel, variables) };
      (isFolded ? inRow : all).push(placed);
      x += w;
      rowHeight = h;
    }
    y += rowHeight;
  }
  return all;
}

function toPanel({ title, kind, unit, isStacked, queries }: Panel, variables: readonly string[]) {
  const isGraph = kind === "timeseries";
  const custom = {
    fillOpacity: isStacked === true ? 40 : 10,
    showPoints: "never",
    stacking: { mode: isStacked === true ? "normal" : "none" },
    // A line at 0 shows nothing.
    thresholdsStyle: {
      mode: queries.some(({ threshold }) => (threshold?.value ?? 0) !== 0) ? "line" : "off",
    },
  };
  return {
    type: kind,
    title,
    description: toDescription(queries),
    datasource,
    targets: queries.map(({ expr, legend }, position) => ({
      refId: String.fromCharCode(65 + position),
      datasource,
      expr: withFilters(expr, variables),
      legendFormat: legend,
      ...(isGraph ? { range: true } : { instant: true }),
    })),
    fieldConfig: {
      defaults: { unit, thresholds: toThresholds(queries), ...(isGraph ? { custom } : {}) },
      overrides: [],
    },
    options: isGraph
      ? { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } }
      : { colorMode: "value", graphMode: "none", reduceOptions: { calcs: ["lastNotNull"] } },
  };
}

/** What the panel's metrics answer, and where to go from it. */
function toDescription(queries: readonly Query[]): string {
  const used = new Set(queries.flatMap(({ expr }) => metricsIn(expr)));
  const questions = ownMetrics.filter(({ name }) => used.has(name)).map(({ name }) => questionOf(name));
  const alerts = queries.flatMap(({ alert }) => alert ?? []);
  const ends = [...new Set(alerts)].map((name) => `${name}: ${runbookOf(name)}`);
  return [...questions, ...ends].join("\n");
}

const steps = (first: string, second: string, from: number) => ({
  mode: "absolute",
  steps: [
    { color: first, value: null },
    { color: second, value: from },
  ],
});

/** A step of Grafana begins at its value, so what fires above 0 is red a little later. */
function toThresholds(queries: readonly Query[]) {
  const found = queries.find(({ threshold }) => threshold !== undefined)?.threshold;
  if (found === undefined) return { mode: "absolute", steps: [{ color: "green", value: null }] };
  const { comparison, value } = found;
  if (comparison === "==" && value === 0) return steps("red", "green", 1);
  return comparison === "<"
    ? steps("red", "green", value)
    : steps("green", "red", value === 0 ? 0.001 : value);
}

function withFilters(expr: string, variables: readonly string[]): string {
  return expr.replaceAll(
    /\b((?:redriver|process|nodejs)_\w+|up|ALERTS)\b(?:\{([^}]*)\})?/g,
    (found, name: string, own?: string) => {
      const labels = ["namespace", ...(definitionOf(name)?.labels ?? [])];
      const filters = variables.filter((one) => labels.includes(one)).map((one) => `${one}=~"$${one}"`);
      const all = [...(own === undefined || own === "" ? [] : [own]), ...filters];
      return all.length === 0 ? found : `${name}{${all.join(", ")}}`;
    },
  );
}

function definitionOf(name: string) {
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return ownMetrics.find((one) => one.name === name || (one.type === "histogram" && one.name === base));
}

function metricsIn(expr: string): readonly string[] {
  return (expr.match(/\bredriver_\w+/g) ?? []).flatMap((name) => definitionOf(name)?.name ?? []);
}
