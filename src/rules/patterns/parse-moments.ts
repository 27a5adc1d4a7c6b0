import { isObject } from "../../message/json-value.ts";
import { one, parseExists, parseForm, parseOneOrMany, type Parsed } from "./parsed.ts";
import { between } from "./parse-numbers.ts";
import { parseDay, parseTime } from "./parse-date-or-time.ts";
import type { NumberPattern } from "../spec.ts";

const expected =
  "a date (2026-11-01), a comparison (< 2026-11-01, >= 2026-11-01T18:00:00Z) or Unix milliseconds, none, or { exists }";

/** Unix ms before this (1973) are seconds by mistake. */
const firstPlausibleMs = 100_000_000_000;

/**
 * Moments: `"< 2026-11-01"`, `">= 2026-11-01T18:00:00Z"`, `"2026-11-01"` (the whole day in UTC), `"2026-11-01 - 2026-11-03"`, the
 * same with Unix ms, `none`, `{ exists: … }`, or a list of them. As inclusive ranges of Unix ms.
 */
export function parseMomentPatterns(value: unknown): Parsed<readonly NumberPattern[]> {
  return parseOneOrMany(value, parseMomentPattern, expected);
}

function parseMomentPattern(value: unknown): Parsed<readonly NumberPattern[]> {
  if (isObject(value)) return parseForm(value, { exists: parseExists });
  if (value === "none") return one({ kind: "none" });
  const pattern = toPattern(String(value).trim());
  return (typeof value === "string" || typeof value === "number") && pattern !== null
    ? one(pattern)
    : { ok: false, expected };
}

function toPattern(text: string): NumberPattern | null {
  const [, operator, bound = ""] = /^(<=?|>=?)\s*(\S+)$/.exec(text) ?? [];
  if (operator !== undefined) {
    const span = toSpan(bound);
    return span === null ? null : compare(operator, span);
  }
  const [, first, last] = /^(\S+)(?:\s+-\s+(\S+))?$/.exec(text) ?? [];
  if (first === undefined) return null;
  const from = toSpan(first);
  const to = last === undefined ? from : toSpan(last);
  return from === null || to === null ? null : between(from.from, to.to);
}

/** Before a day is before its first millisecond, after it is after its last. */
function compare(operator: string, { from, to }: Span): NumberPattern | null {
  switch (operator) {
    case "<":
      return between(Number.NEGATIVE_INFINITY, from - 1);
    case "<=":
      return between(Number.NEGATIVE_INFINITY, to);
    case ">":
      return between(to + 1, Number.POSITIVE_INFINITY);
    case ">=":
      return between(from, Number.POSITIVE_INFINITY);
    default:
      return null;
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function toSpan(text: string): Span | null {
  if (/^\d{12,15}$/.test(text) && Number(text) >= firstPlausibleMs) {
    return { from: Number(text), to: Number(text) };
  }
  const day = parseDay(text);
  if (day !== null) return day;
  const at = parseTime(text);
  return at === null ? null : { from: at, to: at };
}
