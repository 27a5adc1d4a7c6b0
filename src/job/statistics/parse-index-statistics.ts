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

type Complain = (field: string, expected: string, got: string) => void;

const documented: ReadonlySet<string> = new Set([...scalarFields, ...seriesFields, "days"]);

/** A decoded answer of GET /v2/search/{id}/stats (service-interface.md 4.4). A bad field spoils no other. */
export function parseStatistics(answer: unknown): ParsedStatistics {
  const problems: FieldProblem[] = [];
  const complain: Complain = (field, expected, got) => void problems.push({ field, expected, got });
  if (!isObject(answer)) {
    complain("", "an object of statistics", describe(answer));
    return { kind: "unreadable", problems };
  }
  const scalars: Partial<Record<ScalarField, number>> = {};
  for (const field of scalarFields) {
    const value = parseScalar(field, answer[field], complain);
    if (value !== undefined) scalars[field] = value;
  }
  const newest: Partial<Record<SeriesField, Datapoint>> = {};
  const series = {} as Record<SeriesField, readonly Datapoint[]>;
  for (const field of seriesFields) {
    series[field] = parseSeries(field, answer[field], complain);
    // Of several at the same nanosecond the last one of the list.
    const last = series[field].toSorted((one, other) => compareInstants(one.at, other.at)).at(-1);
    if (last !== undefined) newest[field] = last;
  }
  const days = parseDays(answer["days"], complain);

  const unusable = new Set(problems.map(baseField));
  const present = [...documented].filter((field) => Object.hasOwn(answer, field));
  if (present.length === 0) complain("", "at least one documented field", "none");
  if (present.every((field) => unusable.has(field) && !(field in newest))) {
    return { kind: "unreadable", problems };
  }
  const other = Object.fromEntries(Object.entries(answer).filter(([field]) => !documented.has(field)));
  return {
    kind: "statistics",
    statistics: { scalars, newest, series, days, other, problems, unusableFields: unusable.size },
  };
}

function parseScalar(field: ScalarField, value: unknown, complain: Complain): number | undefined {
  if (value === undefined) return undefined;
  const whole = field !== "monthly_cost";
  if (typeof value === "number" && (whole ? Number.isInteger(value) : Number.isFinite(value))) return value;
  complain(field, whole ? "an integer" : "a number", describe(value));
  return undefined;
}

function parseSeries(field: SeriesField, value: unknown, complain: Complain): readonly Datapoint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    complain(field, "a list of {x, y}", describe(value));
    return [];
  }
  if (value.length > maxPoints) {
    complain(field, `at most ${maxPoints} points`, `a list of ${value.length}`);
    return [];
  }
  return value.flatMap((entry: unknown, position) => parsePoint(`${field}[${position}]`, entry, complain));
}

function parsePoint(field: string, entry: unknown, complain: Complain): Datapoint | readonly [] {
  const { x, y } = isObject(entry) ? entry : {};
  const at = typeof x === "string" ? parseTimestamp(x) : undefined;
  if (!isObject(entry)) complain(field, "{x, y}", describe(entry));
  else if (at === undefined)
    complain(`${field}.x`, "a timestamp like 2025-10-19 18:33:05.244068975 +0000 UTC", describe(x));
  else if (typeof y !== "number" || !Number.isFinite(y)) complain(`${field}.y`, "a number", describe(y));
  else return { at, value: y };
  return [];
}

function parseDays(value: unknown, complain: Complain): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.length <= maxDays && value.every(isDay)) {
    return value.map((one) => one.toWellFormed());
  }
  complain("days", "a list of day names", describe(value));
  return [];
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
