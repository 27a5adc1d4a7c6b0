import { z } from "zod";
import { readDoc } from "./markdown.ts";

const whole = z.int().nonnegative();
const datasource = z.strictObject({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const target = z.looseObject({
  refId: z.string().regex(/^[A-Z]$/),
  datasource,
  expr: z.string().min(1),
  legendFormat: z.string(),
});
const step = z.strictObject({ color: z.enum(["green", "red"]), value: z.number().nullable() });
const fieldConfig = z.strictObject({
  defaults: z.looseObject({
    unit: z.enum(["short", "s", "bytes", "percentunit"]),
    thresholds: z.strictObject({ mode: z.literal("absolute"), steps: z.array(step).min(1) }),
  }),
  overrides: z.tuple([]),
});
const gridPos = z.strictObject({ x: whole.max(23), y: whole, w: whole.min(1).max(24), h: whole.min(1) });
const placed = { id: whole.min(1), title: z.string().min(1), gridPos };
const shown = z.strictObject({
  ...placed,
  type: z.enum(["stat", "timeseries"]),
  description: z.string(),
  datasource,
  targets: z.array(target).min(1),
  fieldConfig,
  options: z.record(z.string(), z.unknown()),
});
const row = z.strictObject({
  ...placed,
  type: z.literal("row"),
  collapsed: z.boolean(),
  panels: z.array(shown).optional(),
});
const panel = z.discriminatedUnion("type", [row, shown]);
const variable = z.discriminatedUnion("type", [
  z.looseObject({
    name: z.literal("datasource"),
    type: z.literal("datasource"),
    query: z.literal("prometheus"),
  }),
  z.looseObject({
    name: z.string().regex(/^\w+$/),
    type: z.literal("query"),
    datasource,
    query: z.strictObject({ query: z.string().startsWith("label_values("), refId: z.string() }),
    allValue: z.literal(".*"),
  }),
]);

/** What Grafana 10 and newer need of a dashboard to import it, as far as these two use it. */
const dashboard = z.looseObject({
  uid: z.string().regex(/^[\w-]{1,40}$/),
  title: z.string().min(1),
  schemaVersion: z.int().min(36),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({ list: z.array(variable).min(1) }),
  panels: z.array(panel).min(1),
});

export const dashboardFiles = [
  "deploy/components/dashboards/operations.json",
  "deploy/components/dashboards/search-indexes.json",
] as const;

/** With those of folded rows. Throws where the file's shape is not that of a dashboard. */
export function readDashboard(file: string) {
  const read = dashboard.parse(JSON.parse(readDoc(file)));
  const folded = read.panels.flatMap((one) => (one.type === "row" ? (one.panels ?? []) : []));
  return { ...read, panels: [...read.panels, ...folded], folded };
}

/** Every expression of a dashboard, with what Grafana would put in for its variables. */
export function expressionsOf(file: string): readonly { readonly panel: string; readonly expr: string }[] {
  const { panels, templating } = readDashboard(file);
  return panels.flatMap((one) =>
    one.type === "row"
      ? []
      : one.targets.map(({ expr }) => ({
          panel: one.title,
          expr: templating.list.reduce(
            (text, { name }) => text.replaceAll(`"$${name}"`, '".*"'),
            expr.replaceAll("$__rate_interval", "5m"),
          ),
        })),
  );
}
