import type { Parsed } from "./parsed.ts";

const dayMs = 86_400_000;
/** Unix ms before this (1973) are seconds by mistake. */
export const firstPlausibleMs = 100_000_000_000;

/**
 * `2026-12-01` is the last millisecond of that day in UTC, so that the day itself still counts.
 * `2026-12-01T18:00:00Z`, or with an offset, is that moment. As Unix ms. A time without a zone is refused: it
 * would mean another moment per machine.
 */
export function parseDateOrTime(value: unknown): Parsed<number> {
  const text = typeof value === "string" ? value.trim() : "";
  const at = parseDay(text)?.to ?? parseTime(text);
  return at === null
    ? {
        ok: false,
        expected: "a date (2026-12-01, its whole day in UTC) or a time with a zone (2026-12-01T18:00:00Z)",
      }
    : { ok: true, value: at };
}

/** The first and the last millisecond of a day in UTC. */
export function parseDay(text: string): { readonly from: number; readonly to: number } | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const from = Date.parse(`${text}T00:00:00Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(from) || new Date(from).toISOString().slice(0, 10) !== text) return null;
  return { from, to: from + dayMs - 1 };
}

/** A time with a zone, as Unix ms. */
export function parseTime(text: string): number | null {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))$/.exec(text) ?? [];
  if (date === undefined || parseDay(date) === null) return null;
  const at = Date.parse(`${date}T${time}`);
  return Number.isNaN(at) ? null : at;
}
