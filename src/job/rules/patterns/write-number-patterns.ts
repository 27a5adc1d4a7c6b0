import { durationText } from "../durations.ts";
import type { NumberPattern, NumberRange } from "../rule-spec.ts";

export const isThere = { exists: true };

const units = {
  count: { write: String, dash: "-" },
  duration: { write: durationText, dash: "-" },
  // A date has hyphens of its own.
  moment: { write: momentText, dash: " - " },
} as const;

export type NumberUnit = keyof typeof units;

export function momentText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** Bounds are inclusive. `> 48h` is written like this, and not with the millisecond after it. */
export function writeNumber(pattern: NumberPattern, unit: NumberUnit): unknown {
  if (pattern.kind === "none") return "none";
  if (pattern.kind === "some") return isThere;
  const { write, dash } = units[unit];
  const { from, to } = pattern;
  if (from === to && unit === "count") return from;
  if (Number.isFinite(from) && Number.isFinite(to)) return `${write(from)}${dash}${write(to)}`;
  if (Number.isFinite(to)) return shorter(`<= ${write(to)}`, `< ${write(to + 1)}`);
  return Number.isFinite(from) ? shorter(`>= ${write(from)}`, `> ${write(from - 1)}`) : isThere;
}

function shorter(one: string, other: string): string {
  return other.length < one.length ? other : one;
}

/** A comparison as a document writes it, `> 10000`. A pattern's end is that number, or the next whole one. */
export function comparisonText({ from, to }: NumberRange): string {
  if (Number.isFinite(to)) return Number.isInteger(to) ? `<= ${to}` : `< ${Math.ceil(to)}`;
  return Number.isInteger(from) ? `>= ${from}` : `> ${Math.floor(from)}`;
}
