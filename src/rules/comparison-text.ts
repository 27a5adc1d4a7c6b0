import type { NumberPattern } from "./spec.ts";

/**
 * A comparison with a whole number as a document writes it, `> 10000`. A pattern's end is that number, or the
 * next whole one.
 */
export function comparisonText(pattern: NumberPattern): string {
  if (pattern.kind !== "range") return pattern.kind;
  const { from, to } = pattern;
  if (Number.isFinite(to)) return Number.isInteger(to) ? `<= ${to}` : `< ${Math.ceil(to)}`;
  return Number.isInteger(from) ? `>= ${from}` : `> ${Math.floor(from)}`;
}
