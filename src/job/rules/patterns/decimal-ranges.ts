import { compareDecimals } from "../../message/decimal.ts";
import { defined } from "../../message/defined.ts";
import { survives } from "../../message/json-losses.ts";
import type { DecimalRange } from "../rule-spec.ts";
import { one, type Form } from "./define-patterns.ts";

const number = String.raw`-?\d{1,64}(?:\.\d{1,64})?(?:e[+-]?\d{1,3})?`;
const comparisonForm = new RegExp(`^(<=?|>=?)\\s*(${number})$`, "i");
const rangeForm = new RegExp(`^\\s*(${number})\\s*-\\s*(${number})\\s*$`, "i");

/** `< 3`, `>= 2.5`; null for another text. */
export function toComparison(text: string): DecimalRange | null {
  const [, operator, bound = ""] = comparisonForm.exec(text.trim()) ?? [];
  if (operator === undefined) return null;
  const isOpen = !operator.endsWith("=");
  return operator.startsWith("<")
    ? toRange(undefined, bound, true, isOpen)
    : toRange(bound, undefined, isOpen, true);
}

export const decimalRange: Form<DecimalRange> = {
  parse: (value) => {
    const [, from = "", to = ""] = (typeof value === "string" ? rangeForm.exec(value) : null) ?? [];
    return from === "" || compareDecimals(from, to) > 0
      ? { ok: false, expected: "a range of numbers such as 3-7" }
      : one(toRange(from, to, false, false));
  },
  schema: { type: "string", examples: ["3-7"] },
};

function toRange(
  from: string | undefined,
  to: string | undefined,
  openFrom: boolean,
  openTo: boolean,
): DecimalRange {
  return defined({
    kind: "number" as const,
    from: from === undefined ? Number.NEGATIVE_INFINITY : Number(from),
    to: to === undefined ? Number.POSITIVE_INFINITY : Number(to),
    openFrom,
    openTo,
    fromText: kept(from),
    toText: kept(to),
  });
}

/** Only what a double does not keep. */
function kept(text: string | undefined): string | undefined {
  return text === undefined || survives(text) ? undefined : text;
}

/** Rounding keeps the order of numbers, so only a value that is rounded to the bound itself needs its digits. */
export function compileDecimalRange(range: DecimalRange): (value: number, digits: () => string) => boolean {
  const { from, to, openFrom, openTo, fromText = String(from), toText = String(to) } = range;
  const hasFrom = fromText !== "-Infinity";
  const hasTo = toText !== "Infinity";
  return (value, digits) => {
    if (hasFrom && value <= from) {
      const side = value < from ? -1 : compareDecimals(digits(), fromText);
      if (openFrom ? side <= 0 : side < 0) return false;
    }
    if (!hasTo || value < to) return true;
    const side = value > to ? 1 : compareDecimals(digits(), toText);
    return openTo ? side < 0 : side <= 0;
  };
}

export function toDecimalText(text: string): string | null {
  const bare = text.trim();
  return bare.length <= 400 && /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,15})?$/i.test(bare) ? bare : null;
}
