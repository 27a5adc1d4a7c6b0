import { isObject } from "../message/json-value.ts";
import {
  type Datapoint,
  type FieldProblem,
  type IndexStatistics,
  type ScalarField,
  type SeriesField,
  scalarFields,
  seriesFields,
  compareInstants,
  baseField,
} from "../contracts/index-statistics.ts";
import { parseTimestamp } from "./timestamp.ts";

/** 240 are documented (service-interface.md 8). */
const maxPoints = 10_000;
const maxDays = 31;
const maxDayLength = 40;

export type ParsedStatistics =
  /** At least one documented field was there and well-formed; the others are in `statistics.problems`. */
  | { readonly kind: "statistics"; readonly statistics: IndexStatistics }
  /** No field can be used. */
  | { readonly kind: "unreadable"; readonly problems: readonly FieldProblem[] };

const documented: ReadonlySet<string> = new Set([...scalarFields, ...seriesFields, "days"]);

/** A decoded answer of GET /v2/search/{id}/stats (service-interface.md 4.4). A bad field spoils no other. */
export function parseStatistics(answer: unknown): ParsedStatistics {
  if (!isObject(answer)) {
    return {
      kind: "unreadable",
      problems: [{ field: "", expected: "an object of statistics", got: describe(answer) }],
    };
  }
  const fields = new Map(Object.entries(answer));
  const problems: FieldProblem[] = [];

  const scalars: Partial<Record<ScalarField, number>> = {};
  for (const field of scalarFields) {
    const value = parseScalar(field, fields.get(field), problems);
    if (value !== undefined) scalars[field] = value;
  }
  const newest: Partial<Record<SeriesField, Datapoint>> = {};
  const series = Object.fromEntries(
    seriesFields.map((field) => {
      const points = parseSeries(field, fields.get(field), problems);
      const last = newestPoint(points);
      if (last !== undefined) newest[field] = last;
      return [field, points];
    }),
  ) as Record<SeriesField, readonly Datapoint[]>;
  const days = parseDays(fields.get("days"), problems);

  const present = [...documented].filter((field) => fields.has(field));
  const unusable = new Set(problems.map(baseField));
  if (present.length === 0) {
    problems.push({ field: "", expected: "at least one documented field", got: "none" });
  }
  if (present.every((field) => unusable.has(field) && !(field in newest))) {
    return { kind: "unreadable", problems };
  }
  const other = Object.fromEntries([...fields].filter(([field]) => !documented.has(field)));
  return {
    kind: "statistics",
    statistics: { scalars, newest, series, days, other, problems, unusableFields: unusable.size },
  };
}

/** The latest by time; of several at the same nanosecond the last one of the list. */
function newestPoint(points: readonly Datapoint[]): Datapoint | undefined {
  return points.reduce<Datapoint | undefined>(
    (best, point) => (best === undefined || compareInstants(point.at, best.at) >= 0 ? point : best),
    undefined,
  );
}

function parseScalar(field: ScalarField, value: unknown, problems: FieldProblem[]): number | undefined {
  if (value === undefined) return undefined;
  const whole = field !== "monthly_cost";
  if (typeof value === "number" && (whole ? Number.isInteger(value) : Number.isFinite(value))) return value;
  problems.push({ field, expected: whole ? "an integer" : "a number", got: describe(value) });
  return undefined;
}

function parseSeries(field: SeriesField, value: unknown, problems: FieldProblem[]): readonly Datapoint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push({ field, expected: "a list of {x, y}", got: describe(value) });
    return [];
  }
  if (value.length > maxPoints) {
    problems.push({ field, expected: `at most ${maxPoints} points`, got: `a list of ${value.length}` });
    return [];
  }
  const points: Datapoint[] = [];
  for (const [position, entry] of value.entries()) {
    const point = parsePoint(`${field}[${position}]`, entry);
    if ("at" in point) points.push(point);
    else problems.push(point);
  }
  return points;
}

function parsePoint(field: string, entry: unknown): Datapoint | FieldProblem {
  if (!isObject(entry)) return { field, expected: "{x, y}", got: describe(entry) };
  const { x, y } = entry;
  const at = typeof x === "string" ? parseTimestamp(x) : undefined;
  if (at === undefined) {
    return {
      field: `${field}.x`,
      expected: "a timestamp like 2025-10-19 18:33:05.244068975 +0000 UTC",
      got: describe(x),
    };
  }
  if (typeof y !== "number" || !Number.isFinite(y)) {
    return { field: `${field}.y`, expected: "a number", got: describe(y) };
  }
  return { at, value: y };
}

function parseDays(value: unknown, problems: FieldProblem[]): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > maxDays || !value.every(isDay)) {
    problems.push({ field: "days", expected: "a list of day names", got: describe(value) });
    return [];
  }
  return value.map((one) => one.toWellFormed());
}

function isDay(day: unknown): day is string {
  return typeof day === "string" && day.length <= maxDayLength;
}

/** The kind of a value, and the value itself if it is short. */
function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "string") {
    return value.length <= 40 ? `the text ${JSON.stringify(value)}` : `a text of ${value.length} characters`;
  }
  return Array.isArray(value) ? "a list" : "an object";
}
