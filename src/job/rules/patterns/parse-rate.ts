import type { Rate } from "../rule-spec.ts";
import { orExpected, type Parsed } from "../parsed.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `20/s`, `600/m`, `1000/h`: so many in any span of a second, a minute, an hour. */
export function parseRate(value: unknown): Parsed<Rate> {
  const [, digits, unit = ""] =
    (typeof value === "string" ? /^(\d{1,7})\s*\/\s*([smh])$/.exec(value.trim()) : null) ?? [];
  const count = Number(digits);
  const perMs = unitMs[unit];
  const rate = perMs === undefined || count < 1 ? null : { count, perMs };
  return orExpected(rate, "a rate such as 20/s, 600/m or 1000/h");
}

export function rateText({ count, perMs }: Rate): string {
  const unit = Object.keys(unitMs).find((name) => unitMs[name] === perMs);
  return `${count}/${unit ?? `${perMs}ms`}`;
}
