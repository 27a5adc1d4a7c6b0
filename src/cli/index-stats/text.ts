import type { IndexConfig } from "../../ports/drains-document.ts";
import {
  type FieldProblem,
  type IndexStatistics,
  scalarFields,
  seriesFields,
} from "../../ports/index-statistics.ts";
import { baseField } from "../../statistics/parse-index-statistics.ts";
import { formatInstant } from "../../statistics/timestamp.ts";
import { toTable } from "../output/table.ts";

export interface StatisticsView {
  readonly index: Pick<IndexConfig, "name" | "id" | "period">;
  /** Unix ms. */
  readonly readAt: number;
  readonly statistics: IndexStatistics;
}

/** Tables for a terminal, one block per index. Text that came from the service cannot move the cursor. */
export function formatStatistics(views: readonly StatisticsView[]): string {
  return views.map(formatView).join("\n");
}

/** Everything that was read, to print as JSON; times in ISO form with nine fraction digits. */
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
  const scalars = toTable(scalarFields, {
    FIELD: (field) => field,
    VALUE: (field) => statistics.scalars[field] ?? "-",
  });
  const valuesOf = (field: (typeof seriesFields)[number]): readonly number[] =>
    statistics.series[field].map(({ value }) => value);
  const series = toTable(seriesFields, {
    SERIES: (field) => field,
    POINTS: (field) => statistics.series[field].length,
    NEWEST: (field) => statistics.newest[field]?.value ?? "-",
    LOWEST: (field) => (statistics.newest[field] ? Math.min(...valuesOf(field)) : "-"),
    HIGHEST: (field) => (statistics.newest[field] ? Math.max(...valuesOf(field)) : "-"),
    "NEWEST AT": (field) => (statistics.newest[field] ? formatInstant(statistics.newest[field].at) : "-"),
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
    scalars,
    series,
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
