import type { IndexConfig } from "../../ports/drains.ts";
import type { FieldProblem, IndexStatistics } from "../../ports/statistics.ts";
import { scalarFields, seriesFields } from "../../ports/statistics.ts";
import { baseField } from "../../statistics/parse.ts";
import { formatInstant } from "../../statistics/timestamp.ts";
import { toTable } from "../output/table.ts";

/** What `redriver index stats` shows of one index. */
export interface StatisticsView {
  readonly index: Pick<IndexConfig, "name" | "id" | "period">;
  /** Unix ms. */
  readonly readAt: number;
  readonly statistics: IndexStatistics;
}

/** Tables for a terminal, one block per index, ending in a newline. Text that came from the service cannot move the cursor. */
export function formatStatistics(views: readonly StatisticsView[]): string {
  return views.map(formatView).join("\n");
}

/** The same as a value to print as JSON: everything that was read, times in ISO form with nine fraction digits. */
export function toStatisticsJson(views: readonly StatisticsView[]): readonly unknown[] {
  return views.map(({ index, readAt, statistics }) => ({
    index: index.name,
    id: index.id,
    period: index.period,
    readAt: new Date(readAt).toISOString(),
    scalars: statistics.scalars,
    series: Object.fromEntries(
      seriesFields.map((field) => [
        field,
        statistics.series[field].map(({ at, value }) => ({ at: formatInstant(at), value })),
      ]),
    ),
    days: statistics.days,
    other: statistics.other,
    problems: statistics.problems,
  }));
}

function formatView({ index, readAt, statistics }: StatisticsView): string {
  const scalars = scalarFields.map((field) => [field, statistics.scalars[field] ?? "-"]);
  const series = seriesFields.map((field) => {
    const points = statistics.series[field];
    const newest = statistics.newest[field];
    if (newest === undefined) return [field, 0, "-", "-", "-", "-"];
    const values = points.map((point) => point.value);
    const bounds = [Math.min(...values), Math.max(...values)];
    return [field, points.length, newest.value, ...bounds, formatInstant(newest.at)];
  });
  const problems = formatProblems(statistics.problems);
  const others = Object.keys(statistics.other);
  const notes = [
    statistics.days.length === 0 ? [] : [`days: ${statistics.days.join(", ")}`],
    others.length === 0 ? [] : [`fields not known to redriver: ${others.join(", ")}`],
    problems,
  ].filter((lines) => lines.length > 0);
  return [
    `index ${index.name} (${index.id}), period ${index.period}, read ${new Date(readAt).toISOString()}\n`,
    toTable(["FIELD", "VALUE"], scalars, 1),
    toTable(["SERIES", "POINTS", "NEWEST", "LOWEST", "HIGHEST", "NEWEST AT"], series, 4),
    ...notes.map((lines) => `${lines.map(printable).join("\n")}\n`),
  ].join("\n");
}

/** One line per field: a series of 240 bad points is one mistake. */
function formatProblems(problems: readonly FieldProblem[]): readonly string[] {
  const byField = new Map<string, FieldProblem[]>();
  for (const problem of problems) {
    const field = baseField(problem);
    byField.set(field, [...(byField.get(field) ?? []), problem]);
  }
  return [...byField.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
    return [`not used: ${first.field}: expected ${first.expected}, got ${first.got}${rest}`];
  });
}

function printable(line: string): string {
  return line.replaceAll(/\p{Cc}|\p{Cf}/gu, "\u{FFFD}");
}
