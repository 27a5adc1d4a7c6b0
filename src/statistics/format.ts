import type { IndexConfig } from "../ports/drains.ts";
import type { FieldProblem, IndexStatistics } from "../ports/statistics.ts";
import { scalarFields, seriesFields } from "../ports/statistics.ts";
import { baseField } from "./parse.ts";
import { formatInstant } from "./timestamp.ts";

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
  const scalars = scalarFields.map((field) => [field, String(statistics.scalars[field] ?? "-")]);
  const series = seriesFields.map((field) => {
    const points = statistics.series[field];
    const newest = statistics.newest[field];
    if (newest === undefined) return [field, "0", "-", "-", "-", "-"];
    const values = points.map((point) => point.value);
    const bounds = [Math.min(...values), Math.max(...values)].map(String);
    return [field, String(points.length), String(newest.value), ...bounds, formatInstant(newest.at)];
  });
  const problems = formatProblems(statistics.problems);
  const others = Object.keys(statistics.other);
  const lines = [
    `index ${index.name} (${index.id}), period ${index.period}, read ${new Date(readAt).toISOString()}`,
    "",
    ...table([["FIELD", "VALUE"], ...scalars], 1),
    "",
    ...table([["SERIES", "POINTS", "NEWEST", "LOWEST", "HIGHEST", "NEWEST AT"], ...series], 4),
    ...(statistics.days.length === 0 ? [] : ["", `days: ${statistics.days.join(", ")}`]),
    ...(others.length === 0 ? [] : ["", `fields not known to redriver: ${others.join(", ")}`]),
    ...(problems.length === 0 ? [] : ["", ...problems]),
  ];
  return `${lines.map(printable).join("\n")}\n`;
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

/** `numeric`: how many columns after the first hold numbers, which end at the right. */
function table(rows: readonly (readonly string[])[], numeric: number): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column >= 1 && column <= numeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}

function printable(line: string): string {
  return line.replaceAll(/\p{Cc}|\p{Cf}/gu, "\u{FFFD}");
}
