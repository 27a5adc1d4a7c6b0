import { openIndexClient } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import { readSecret } from "../../../config/read-secret.ts";
import { isRedriverError, type RedriverError, misused } from "../../../job/contracts/errors.ts";
import type { Register } from "../io.ts";
import { printOrRepaint } from "../output/watch.ts";
import { loadAll } from "../load-config.ts";
import type { IndexConfig } from "../../../job/contracts/drains-document.ts";
import {
  baseField,
  formatInstant,
  seriesFields,
  type IndexStatistics,
} from "../../../job/contracts/index-statistics.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { toFieldsText } from "../output/fields-text.ts";

export const registerIndex: Register = (program, { io }) => {
  program
    .command("index")
    .description("search indexes")
    .command("stats")
    .description("read the statistics of the configured indexes now")
    .argument("[names...]", "indexes of the document; default: all")
    .option("--watch", "read and show them again every 2 s, until Ctrl-C")
    .option("--json", "print as JSON; with --watch a line for each reading")
    .action(async (names: string[], options: { json?: boolean; watch?: boolean }, command) => {
      const { settings, document } = loadAll(command, io);
      const unknown = names.filter((name) => !document.indexes.some((index) => index.name === name));
      if (document.indexes.length === 0) {
        throw misused("the drains document has no indexes");
      }
      if (unknown.length > 0) {
        const known = document.indexes.map(({ name }) => name).join(", ");
        throw misused(`no such index: ${unknown.join(", ")}; the document has ${known}`);
      }
      const read = await openIndexClient(settings, (ref) => readSecret(ref, { env: io.env, settings }));
      const chosen = document.indexes.filter(({ name }) => names.length === 0 || names.includes(name));
      const readAll: Read = async (stopped) => {
        const late = AbortSignal.timeout(settings.statistics.timeoutMs * chosen.length);
        const signal = AbortSignal.any(stopped === undefined ? [late] : [late, stopped]);
        const views: StatisticsView[] = [];
        for (const index of chosen) {
          views.push({ index, readAt: systemClock.now(), statistics: await read(index, signal) });
        }
        return views;
      };
      const readAgain = unlessAskedToWait(readAll);
      await printOrRepaint(io, options, readAgain, toStatisticsJson, (views) =>
        toStatisticsText(io.columns, views),
      );
    });
};

type Read = (stopped?: AbortSignal) => Promise<readonly StatisticsView[]>;

/** After a 429 the same error again, without a call, until the time that the service named. */
function unlessAskedToWait(read: Read): Read {
  let refusal: RedriverError | null = null;
  return async (stopped) => {
    if (refusal?.retryAt !== undefined && systemClock.now() < refusal.retryAt) throw refusal;
    try {
      return await read(stopped);
    } catch (error) {
      refusal = isRedriverError(error) ? error : null;
      throw error;
    }
  };
}

export interface StatisticsView {
  readonly index: Pick<IndexConfig, "name" | "id" | "period">;
  /** Unix ms. */
  readonly readAt: number;
  readonly statistics: IndexStatistics;
}

/** Everything that was read, to print as JSON; times in ISO form with nine fraction digits. */
export function toStatisticsJson(views: readonly StatisticsView[]): readonly object[] {
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

/** One block per index, with the newest, lowest and highest value of each series. */
export function toStatisticsText(columns: number, views: readonly StatisticsView[]): string {
  return views.map((view) => toFieldsText(columns, toShown(view), view.readAt)).join("\n");
}

function toShown({ index, readAt, statistics }: StatisticsView): object {
  const { scalars, series, newest, days, other, problems } = statistics;
  return {
    index: index.name,
    id: index.id,
    period: index.period,
    readAt,
    ...scalars,
    series: seriesFields.map((field) => {
      const values = series[field].map(({ value }) => value);
      const [lowest, highest] = values.length === 0 ? [] : [Math.min(...values), Math.max(...values)];
      const last = newest[field];
      return { series: field, newest: last?.value, lowest, highest, at: last?.at.epochMs };
    }),
    days,
    notKnownToRedriver: Object.keys(other),
    // One line per field: a series of 240 bad points is one mistake.
    notUsed: [...groupBy(problems, baseField).values()].map(([first, ...more]) => ({
      field: first?.field,
      expected: first?.expected,
      got: first?.got,
      more: more.length,
    })),
  };
}
