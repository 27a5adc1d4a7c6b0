import { alertRule, toOneLine } from "./alert-rules.ts";

export interface Query {
  readonly expr: string;
  /** As Grafana writes it: `{{drain}}`. */
  readonly legend: string;
  readonly alert?: string;
  /** Where the alert fires. */
  readonly threshold?: { readonly comparison: string; readonly value: number };
}

export interface Panel {
  readonly title: string;
  readonly kind: "stat" | "timeseries";
  /** A unit of Grafana. */
  readonly unit: string;
  readonly isStacked?: boolean;
  /** A plain installation in which nothing is wrong has no series of it. */
  readonly isMostlyEmpty?: boolean;
  readonly queries: readonly Query[];
}

export interface Section {
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly isFolded?: boolean;
}

/** A variable of a dashboard, which filters every metric that has a label of its name. */
export interface Variable {
  readonly name: string;
  readonly label: string;
  /** A metric that has a series for each of its values. */
  readonly metric: string;
}

export interface DashboardPlan {
  readonly uid: string;
  readonly title: string;
  readonly variables: readonly Variable[];
  readonly sections: readonly Section[];
}

export function query(expr: string, legend: string): Query {
  return { expr: toOneLine(expr), legend };
}

/**
 * A part of an alert's expression, as it stands there. Thus a panel shows what the alert sees, and an alert
 * that changes asks for a new panel. The constant that it is compared with becomes the panel's threshold.
 */
export function ofAlert(name: string, part: string, legend: string): Query {
  const { expr } = alertRule(name);
  const at = expr.indexOf(part);
  if (at === -1) throw new Error(`the expression of ${name} does not have ${part}`);
  const compared = /^\)* (>=|>|<|==) (-?[\d.]+)(?! [-+*/])(?![\d.])/.exec(expr.slice(at + part.length));
  const [, comparison = "", value = ""] = compared ?? [];
  return {
    expr: part,
    legend,
    alert: name,
    ...(compared === null ? {} : { threshold: { comparison, value: Number(value) } }),
  };
}

/** The whole expression: it has a value only while the alert's condition holds. */
export function whileAlert(name: string, legend: string): Query {
  return { expr: alertRule(name).expr, legend, alert: name };
}

/** The alerts that panels show something of. */
export function alertsOf(sections: readonly Section[]): ReadonlySet<string> {
  const queries = sections.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries));
  return new Set(queries.flatMap(({ alert }) => (alert === undefined ? [] : [alert])));
}

type Options = Partial<Pick<Panel, "unit" | "isStacked" | "isMostlyEmpty">>;

export function stat(title: string, queries: Query | readonly Query[], options: Options = {}): Panel {
  return { title, kind: "stat", unit: "short", ...options, queries: [queries].flat() };
}

export function graph(title: string, queries: Query | readonly Query[], options: Options = {}): Panel {
  return { title, kind: "timeseries", unit: "short", ...options, queries: [queries].flat() };
}
