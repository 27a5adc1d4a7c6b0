import { one, parseOneOrMany, type Parsed } from "./parsed.ts";
import { between, toComparison } from "./parse-numbers.ts";
import type { NumberPattern } from "../spec.ts";

const units = "ms, s, m, h or d";
const patternExpected = "a comparison (> 48h, <= 5m) or a range (1h-2h) of durations";

/** `30s`, `2m`, `1h30m`, `3d`, `250ms`: whole numbers with units, largest first, as milliseconds. */
export function parseDuration(value: unknown): Parsed<number> {
  if (typeof value === "number" || (typeof value === "string" && /^\s*\d+\s*$/.test(value))) {
    return { ok: false, expected: `a duration with a unit (${units}), such as 30s: a number alone has none` };
  }
  const durationMs = typeof value === "string" ? toDurationMs(value.trim()) : null;
  return durationMs === null
    ? { ok: false, expected: `a duration in ${units}, such as 30s, 2m, 1h30m or 3d` }
    : { ok: true, value: durationMs };
}

/** `"> 48h"`, `"< 5m"`, `"1h-2h"`, or a list of them. A single duration is refused: no age is that exactly. */
export function parseDurationPatterns(value: unknown): Parsed<readonly NumberPattern[]> {
  return parseOneOrMany(value, parseDurationPattern, patternExpected);
}

function parseDurationPattern(value: unknown): Parsed<readonly NumberPattern[]> {
  const pattern = toPattern(value);
  return pattern === null ? { ok: false, expected: patternExpected } : one(pattern);
}

function toPattern(value: unknown): NumberPattern | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  const [, operator, bound] = /^(<=?|>=?)\s*(\S+)$/.exec(text) ?? [];
  if (operator !== undefined && bound !== undefined) {
    const boundMs = toDurationMs(bound);
    return boundMs === null ? null : toComparison(operator, boundMs);
  }
  const [, from, to] = /^(\S+?)\s*-\s*(\S+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return null;
  const fromMs = toDurationMs(from);
  const toMs = toDurationMs(to);
  return fromMs === null || toMs === null ? null : between(fromMs, toMs);
}

function toDurationMs(text: string): number | null {
  const match = /^(?:(\d{1,6})d)?(?:(\d{1,8})h)?(?:(\d{1,9})m)?(?:(\d{1,10})s)?(?:(\d{1,12})ms)?$/.exec(text);
  if (match === null || text === "") return null;
  const [days, hours, minutes, seconds, milliseconds] = match.slice(1).map((digits) => Number(digits ?? 0));
  return (
    (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 +
    (seconds ?? 0) * 1_000 +
    (milliseconds ?? 0)
  );
}
