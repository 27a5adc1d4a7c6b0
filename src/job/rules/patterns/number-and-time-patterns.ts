import { isCount } from "../../message/json-value.ts";
import { toDurationMs } from "../durations.ts";
import type { NumberPattern, NumberRange } from "../rule-spec.ts";
import { firstPlausibleMs, parseDay, parseTime } from "./parse-dates.ts";
import { plainSigns, readComparison, rewritten } from "./lookalikes.ts";
import { definePatterns, listOf } from "./define-patterns.ts";
import { orExpected, type Parsed } from "../parsed.ts";

/** Numbers, durations and moments are all whole numbers, so each of their patterns is an inclusive range. */

/** The meaning of one word: a number, or all milliseconds of a day. */
type Span = Pick<NumberRange, "from" | "to">;

const numbersExpected =
  "a whole number (503), a range (502-504), a class (5xx), a comparison (< 3, >= 5), none, or one of { equals, in, range, exists }";
const whole = { type: "integer", minimum: 0 };

export const numberPatterns = definePatterns<NumberPattern>({
  id: "numberPattern",
  description: "503, 502-504, 5xx, < 3, none (absent), { equals | in | range | exists }, or a list (or).",
  examples: [503, "502-504", "5xx", "< 3", "none"],
  expected: numbersExpected,
  parsePlain: (value) => {
    if (typeof value === "number") return rangeOr(toWhole(value), numbersExpected);
    const isBackwards = typeof value === "string" && /^\s*\d{1,15}\s*-\s*\d{1,15}\s*$/.test(value);
    const expected = "a range from the lower number to the higher, such as 502-504";
    return rangeOr(toNumbers(value), isBackwards ? expected : respelled(value, toNumbers, numbersExpected));
  },
  plain: [whole, { type: "string" }],
  forms: {
    equals: { parse: parseWhole, schema: whole },
    in: listOf(parseWhole, "a list of whole numbers", whole),
    range: {
      parse: (value) =>
        rangeOr(
          typeof value === "string" && value.includes("-") ? toNumbers(value) : null,
          "a range such as 502-504",
        ),
      schema: { type: "string", examples: ["502-504"] },
    },
  },
});

const durationsExpected = "a comparison (> 48h, <= 5m) or a range (1h-2h) of durations";

/** In ms. A single duration is refused: no age is that exactly. */
export const durationPatterns = definePatterns<NumberPattern>({
  id: "durationPattern",
  description: "A comparison (> 48h, <= 5m) or a range (1h-2h) of durations, or a list (or).",
  examples: ["> 48h", "1h-2h"],
  expected: durationsExpected,
  parsePlain: (value) => rangeOr(toDurations(value), respelled(value, toDurations, durationsExpected)),
  plain: [{ type: "string" }],
  forms: null,
});

const momentsExpected =
  "a date (2026-11-01), a comparison (< 2026-11-01, >= 2026-11-01T18:00:00Z) or Unix milliseconds, none, or { exists }";

/** In Unix ms. A date alone is its whole day in UTC. */
export const momentPatterns = definePatterns<NumberPattern>({
  id: "momentPattern",
  description: "A date, a comparison with one, Unix ms, none (absent), { exists }, or a list (or).",
  examples: ["< 2026-11-01", ">= 2026-11-01T18:00:00Z", { exists: true }],
  expected: momentsExpected,
  parsePlain: (value) => rangeOr(toMoments(value), respelled(value, toMoments, momentsExpected)),
  plain: [{ type: "string" }, { type: "integer" }],
  forms: {},
});

/** What is expected in place of a value that is refused: the same in the spelling that is read, if there is one. */
function respelled(value: unknown, read: (text: unknown) => NumberRange | null, expected: string): string {
  if (typeof value !== "string") return expected;
  const comparison = readComparison(value);
  if (comparison === null)
    return read(plainSigns(value)) === null ? expected : `${plainSigns(value)}: ${expected}`;
  const { operator, number, operand } = comparison;
  const isEquality = operator === "=" || operator === "!=";
  if (read(`${isEquality ? "<" : operator} ${number ?? operand}`) === null) return expected;
  return `${isEquality ? rewritten(comparison) : JSON.stringify(`${operator} ${number ?? operand}`)}: ${expected}`;
}

function rangeOr(range: NumberRange | null, expected: string): Parsed<readonly NumberPattern[]> {
  return orExpected(range === null ? null : [range], expected);
}

function parseWhole(value: unknown): Parsed<readonly NumberPattern[]> {
  return rangeOr(toWhole(value), "a whole number");
}

function toWhole(value: unknown): NumberRange | null {
  return isCount(value) ? between(value, value) : null;
}

function toNumbers(value: unknown): NumberRange | null {
  if (typeof value !== "string") return null;
  const hundred = /^\s*([1-9])xx\s*$/i.exec(value)?.[1];
  if (hundred !== undefined) return between(Number(hundred) * 100, Number(hundred) * 100 + 99);
  return toRange(value, toNumber, /\s*-\s*/);
}

function toDurations(value: unknown): NumberRange | null {
  return typeof value === "string" && /[<>-]/.test(value) ? toRange(value, toDuration, /\s*-\s*/) : null;
}

function toMoments(value: unknown): NumberRange | null {
  const isText = typeof value === "string" || typeof value === "number";
  return isText ? toRange(String(value), toMoment, /\s+-\s+/) : null;
}

function toRange(text: string, toSpan: (word: string) => Span | null, dash: RegExp): NumberRange | null {
  const [, operator, bound = ""] = /^(<=?|>=?)\s*(\S+)$/.exec(text.trim()) ?? [];
  if (operator !== undefined) {
    const span = toSpan(bound);
    return span === null ? null : compare(operator, span);
  }
  const [first = "", last = first, ...more] = text.trim().split(dash);
  const [from, to] = [toSpan(first), toSpan(last)];
  return more.length > 0 || from === null || to === null ? null : between(from.from, to.to);
}

function compare(operator: string, { from, to }: Span): NumberRange | null {
  if (operator === "<") return between(Number.NEGATIVE_INFINITY, from - 1);
  if (operator === "<=") return between(Number.NEGATIVE_INFINITY, to);
  return between(operator === ">" ? to + 1 : from, Number.POSITIVE_INFINITY);
}

/** Null for a range that ends before it begins: it could never match. */
function between(from: number, to: number): NumberRange | null {
  return from <= to ? { kind: "range", from, to } : null;
}

function toNumber(word: string): Span | null {
  return /^\d{1,15}$/.test(word) ? { from: Number(word), to: Number(word) } : null;
}

function toDuration(word: string): Span | null {
  const ms = toDurationMs(word);
  return ms === null ? null : { from: ms, to: ms };
}

function toMoment(word: string): Span | null {
  if (/^\d{12,15}$/.test(word) && Number(word) >= firstPlausibleMs) return toNumber(word);
  const at = parseTime(word);
  return parseDay(word) ?? (at === null ? null : { from: at, to: at });
}
