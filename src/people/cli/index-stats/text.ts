import type { IndexConfig } from "../../../job/contracts/drains-document.ts";
import {
  baseField,
  formatInstant,
  seriesFields,
  type IndexStatistics,
} from "../../../job/contracts/index-statistics.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { toFieldsText } from "../output/fields-text.ts";

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
