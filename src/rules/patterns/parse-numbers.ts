import { isObject } from "../../message/json-value.ts";
import { one, parseEach, parseExists, parseForm, parseOneOrMany, type Forms, type Parsed } from "./parsed.ts";
import type { NumberPattern } from "../spec.ts";

const expected =
  "a whole number (503), a range (502-504), a class (5xx), a comparison (< 3, >= 5), none, or one of { equals, in, range, exists }";

/**
 * `503`, `"502-504"`, `"5xx"`, `"< 3"`, `">= 5"`, `none`, `{ equals | in | range | exists: … }`, or a list of them. Fields hold
 * whole numbers, so bounds are inclusive.
 */
export function parseNumberPatterns(value: unknown): Parsed<readonly NumberPattern[]> {
  return parseOneOrMany(value, parseNumberPattern, expected);
}

function parseNumberPattern(value: unknown): Parsed<readonly NumberPattern[]> {
  if (isObject(value)) return parseForm(value, numberForms);
  const pattern = toPattern(value);
  if (pattern !== null) return one(pattern);
  return {
    ok: false,
    expected: isBackwards(value) ? "a range from the lower number to the higher, such as 502-504" : expected,
  };
}

function isBackwards(value: unknown): boolean {
  return typeof value === "string" && /^\s*\d{1,15}\s*-\s*\d{1,15}\s*$/.test(value);
}

const numberForms: Forms<NumberPattern> = {
  equals: parseWhole,
  in: (value: unknown) =>
    Array.isArray(value) && value.length > 0
      ? parseEach(value, parseWhole)
      : { ok: false, expected: "a list of whole numbers" },
  range: (value: unknown): Parsed<readonly NumberPattern[]> => {
    const pattern = typeof value === "string" && value.includes("-") ? toPattern(value) : null;
    return pattern === null ? { ok: false, expected: "a range such as 502-504" } : one(pattern);
  },
  exists: parseExists,
};

function parseWhole(value: unknown): Parsed<readonly NumberPattern[]> {
  const pattern = typeof value === "number" ? toPattern(value) : null;
  return pattern === null ? { ok: false, expected: "a whole number" } : one(pattern);
}

function toPattern(value: unknown): NumberPattern | null {
  if (typeof value === "number")
    return Number.isSafeInteger(value) && value >= 0 ? between(value, value) : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (text === "none") return { kind: "none" };

  const hundred = /^([1-9])xx$/i.exec(text)?.[1];
  if (hundred !== undefined) return between(Number(hundred) * 100, Number(hundred) * 100 + 99);
  const [, from, to] = /^(\d{1,15})(?:\s*-\s*(\d{1,15}))?$/.exec(text) ?? [];
  if (from !== undefined) return between(Number(from), Number(to ?? from));
  const [, operator, bound] = /^(<=?|>=?)\s*(\d{1,15})$/.exec(text) ?? [];
  return operator === undefined ? null : toComparison(operator, Number(bound));
}

/** The inclusive range of whole numbers that a comparison allows. */
export function toComparison(operator: string, bound: number): NumberPattern | null {
  switch (operator) {
    case "<":
      return between(Number.NEGATIVE_INFINITY, bound - 1);
    case "<=":
      return between(Number.NEGATIVE_INFINITY, bound);
    case ">":
      return between(bound + 1, Number.POSITIVE_INFINITY);
    case ">=":
      return between(bound, Number.POSITIVE_INFINITY);
    default:
      return null;
  }
}

/** Null for a range that ends before it begins: it could never match. */
export function between(from: number, to: number): NumberPattern | null {
  return from <= to ? { kind: "range", from, to } : null;
}
