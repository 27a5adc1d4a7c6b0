import { createReadIndex } from "../../compose/build-statistics.ts";
import { systemClock } from "../../compose/system-world.ts";
import { readSecret } from "../../config/read-secret.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { Register } from "../command-context.ts";
import { printResult } from "../output/print.ts";
import { loadAll } from "../load-config.ts";
import type { IndexConfig } from "../../ports/drains-document.ts";
import {
  type FieldProblem,
  type IndexStatistics,
  scalarFields,
  seriesFields,
} from "../../ports/statistics.ts";
import { baseField } from "../../statistics/parse.ts";
import { formatInstant } from "../../statistics/timestamp.ts";
import { toTable } from "../output/table.ts";

export const registerIndex: Register = (program, { io }) => {
  program
    .command("index")
    .description("search indexes")
    .command("stats")
    .description("read the statistics of the configured indexes now")
    .argument("[names...]", "indexes of the document; default: all")
    .option("--json", "print as JSON")
    .action(async (names: string[], options: { json?: boolean }, command) => {
      const { settings, document } = loadAll(command, io);
      const unknown = names.filter((name) => !document.indexes.some((index) => index.name === name));
      if (document.indexes.length === 0) {
        throw new RedriverError("command-misused", "the drains document has no indexes");
      }
      if (unknown.length > 0) {
        const known = document.indexes.map(({ name }) => name).join(", ");
        throw new RedriverError(
          "command-misused",
          `no such index: ${unknown.join(", ")}; the document has ${known}`,
        );
      }
      const read = createReadIndex(settings, (ref) => readSecret(ref, { env: io.env, settings }));
      const chosen = document.indexes.filter(({ name }) => names.length === 0 || names.includes(name));
      const signal = AbortSignal.timeout(settings.statistics.timeoutMs * chosen.length);
      const views: StatisticsView[] = [];
      for (const index of chosen) {
        views.push({ index, readAt: systemClock.now(), statistics: await read(index, signal) });
      }
      printResult(io, options.json, toStatisticsJson(views), () => formatStatistics(views));
    });
};

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
