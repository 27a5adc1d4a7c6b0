import type { IndexConfig } from "../../../job/contracts/drains-document.ts";
import {
  type FieldProblem,
  type IndexStatistics,
  type ScalarField,
  scalarFields,
  type SeriesField,
  seriesFields,
  compareInstants,
  formatInstant,
  baseField,
} from "../../../job/contracts/index-statistics.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { toAge } from "../../operations/phrases.ts";
import { type Bars, toSparkline } from "../output/sparkline.ts";
import { toFields, toTable } from "../output/table.ts";
import { wrapList, wrapText } from "../output/wrap.ts";

export interface StatisticsView {
  readonly index: Pick<IndexConfig, "name" | "id" | "period">;
  /** Unix ms. */
  readonly readAt: number;
  readonly statistics: IndexStatistics;
}

interface Look {
  readonly columns: number;
  readonly bars: Bars;
}

/** One block per index, 80 columns wide. Text that came from the service cannot move the cursor. */
export function formatStatistics(views: readonly StatisticsView[], look: Look): string {
  return views.map((view) => formatView(view, look)).join("\n");
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

/** What the other columns leave of 80. */
const trendWidth = 21;
/** What is longer is shown with a unit, as a terabyte and more is. */
const exactWidth = 13;

function formatView({ index, readAt, statistics }: StatisticsView, { columns, bars }: Look): string {
  const { scalars, newest, series } = statistics;
  const toCells = (field: ScalarField | undefined): readonly string[] =>
    field === undefined ? [] : [field, toExact(scalars[field])];
  const half = Math.ceil(scalarFields.length / 2);
  const numbers = toFields(
    scalarFields
      .slice(0, half)
      .map((field, row) => [...toCells(field), ...toCells(scalarFields[half + row])]),
  );
  const ofPoints = (field: SeriesField, toCell: (values: readonly number[]) => string): string =>
    series[field].length === 0 ? "-" : toCell(toTimeline(series[field]));
  const trends = toTable(seriesFields, {
    SERIES: (field) => field,
    ["TREND".padEnd(trendWidth)]: (field) =>
      ofPoints(field, (values) => toSparkline(values, trendWidth, bars)),
    " NEWEST": (field) => toRight(ofPoints(field, () => toCompact(newest[field]?.value ?? Number.NaN))),
    " LOWEST": (field) => toRight(ofPoints(field, (values) => toCompact(Math.min(...values)))),
    HIGHEST: (field) => toRight(ofPoints(field, (values) => toCompact(Math.max(...values)))),
    "    AGE": (field) => {
      const point = newest[field];
      return toRight(point === undefined ? "-" : toAge(point.at.epochMs, readAt));
    },
  });
  const others = Object.keys(statistics.other);
  const notes = [
    wrapList(columns, 0, "days:", statistics.days, "days: ".length),
    wrapList(columns, 0, "fields not known to redriver: ", others),
    ...formatProblems(statistics.problems).map((line) => wrapText(columns, 0, "", line)),
  ].join("");
  const read = new Date(readAt).toISOString();
  const heading = [`index ${index.name} (${index.id})`, `period ${index.period}`, `read ${read}`];
  return [wrapList(columns, 0, "", heading, 0), numbers, trends, notes]
    .filter((text) => text !== "")
    .join("\n");
}

/** Values by their time; the service may send the newest first. */
function toTimeline(points: IndexStatistics["series"][SeriesField]): readonly number[] {
  return points.toSorted((one, other) => compareInstants(one.at, other.at)).map(({ value }) => value);
}

function toExact(value: number | undefined): string {
  if (value === undefined) return "-".padStart(exactWidth);
  const exact = String(Number(value.toFixed(4)));
  return (exact.length > exactWidth ? toCompact(value) : exact).padStart(exactWidth);
}

function toRight(text: string): string {
  return text.padStart(7);
}

/** One line per field: a series of 240 bad points is one mistake. */
function formatProblems(problems: readonly FieldProblem[]): readonly string[] {
  return [...groupBy(problems, baseField).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
    return [`not used: ${first.field}: expected ${first.expected}, got ${first.got}${rest}`];
  });
}

const units = ["M", "G", "T", "P", "E"] as const;

/** A number in at most 7 characters: `42`, `0.0123`, `4813`, `1.23M`. Whole numbers below a million are exact. */
function toCompact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e21) return value.toExponential(0);
  if (size >= 1e6) {
    const thousands = Math.floor(Math.log10(size) / 3);
    return `${Number((value / 10 ** (thousands * 3)).toPrecision(3))}${units[thousands - 2]}`;
  }
  if (size >= 1_000) return String(Math.round(value));
  if (size > 0 && size < 0.001) return value.toExponential(0);
  return String(Number(value.toPrecision(3)));
}
