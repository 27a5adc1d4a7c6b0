import type * as z from "zod";
import { scalarFields, type ScalarField } from "../../../job/contracts/index-statistics.ts";
import { orExpected, type Parsed } from "../../../job/rules/parsed.ts";
import { readComparison } from "../../../job/rules/patterns/lookalikes.ts";
import type { NumberRange } from "../../../job/rules/rule-spec.ts";
import { key, name, oneOf, parsed, section } from "./building-blocks.ts";

export interface IndexComparison {
  readonly field: ScalarField | null;
  readonly pattern: NumberRange;
}

const form = /^(?:([a-z_]{1,64})\s*)?(<=?|>=?)\s*(\d{1,15})$/;

export function parseHold(value: unknown): Parsed<IndexComparison & { readonly field: ScalarField }> {
  const { field = null, pattern } = toComparison(value) ?? {};
  return orExpected(
    field === null || pattern === undefined ? null : { field, pattern },
    `${respelled(value)}a number of the index and a comparison, such as pending_index_count > 10000, of ${scalarFields.join(", ")}`,
  );
}

export function parseResume(value: unknown): Parsed<IndexComparison> {
  return orExpected(
    toComparison(value),
    `${respelled(value)}a comparison with a whole number, such as < 5000`,
  );
}

function toComparison(value: unknown): IndexComparison | null {
  const [, field, operator, digits] = (typeof value === "string" ? form.exec(value.trim()) : null) ?? [];
  if (operator === undefined) return null;
  const known = scalarFields.find((name) => name === field);
  if (field !== undefined && known === undefined) return null;
  return { field: known ?? null, pattern: toRange(operator, Number(digits)) };
}

/** `pending_index_count ≥ 10,000` as it is read; empty if that is not known. */
function respelled(value: unknown): string {
  const [, field = "", rest = ""] =
    (typeof value === "string" ? /^\s*([a-z_]{0,64})(.*)$/.exec(value) : null) ?? [];
  const { operator, number } = readComparison(rest) ?? {};
  const text = `${field} ${operator} ${number}`.trim();
  return toComparison(text) === null ? "" : `${JSON.stringify(text)}: `;
}

/** An index's cost has fractions, so the inclusive end of an open comparison is the next number that there is. */
function toRange(operator: string, bound: number): NumberRange {
  const open = !operator.endsWith("=");
  return operator.startsWith(">")
    ? { kind: "range", from: open ? next(bound, 1n) : bound, to: Number.POSITIVE_INFINITY }
    : { kind: "range", from: Number.NEGATIVE_INFINITY, to: open ? next(bound, -1n) : bound };
}

export function complementOf({ from, to }: NumberRange): NumberRange {
  return Number.isFinite(to)
    ? { kind: "range", from: next(to, 1n), to: Number.POSITIVE_INFINITY }
    : { kind: "range", from: Number.NEGATIVE_INFINITY, to: next(from, -1n) };
}

/** The neighbour of a number from 0: the bits of an IEEE 754 number count upwards with it. */
function next(bound: number, step: 1n | -1n): number {
  if (bound <= 0) return step === 1n ? (bound < 0 ? 0 : Number.MIN_VALUE) : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, bound);
  view.setBigInt64(0, view.getBigInt64(0) + step);
  return view.getFloat64(0);
}

export const guard = section({
  index: name.meta({ description: "Name of the index in indexes." }),
  hold: parsed(parseHold, { type: "string", examples: ["pending_index_count > 10000"] }).meta({
    description: "While the last reading matches this, nothing is republished.",
  }),
  resume: key(
    parsed(parseResume, { type: "string", examples: ["< 5000"] }),
    "Until it matches this; left out: until it no longer matches hold.",
  ),
  whenStale: key(oneOf(["hold", "ignore"]), "What counts without a fresh reading."),
});

export type GuardKeys = z.output<typeof guard>;
