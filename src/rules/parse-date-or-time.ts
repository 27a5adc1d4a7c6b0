import type { Parsed } from "./parsed.ts";

const dayMs = 86_400_000;

/**
 * `2026-12-01` is the last millisecond of that day in UTC, so that the day itself still counts; `2026-12-01T18:00:00Z`, or
 * with an offset, is that moment. As Unix ms. A time without a zone is refused: it would mean another moment per machine.
 */
export function parseDateOrTime(value: unknown): Parsed<number> {
  const at = typeof value === "string" ? toUnixMs(value.trim()) : null;
  return at === null
    ? {
        ok: false,
        expected: "a date (2026-12-01, its whole day in UTC) or a time with a zone (2026-12-01T18:00:00Z)",
      }
    : { ok: true, value: at };
}

function toUnixMs(text: string): number | null {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})))?$/.exec(text) ?? [];
  if (date === undefined) return null;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return null;
  if (time === undefined) return midnight + dayMs - 1;
  const at = Date.parse(`${date}T${time}`);
  return Number.isNaN(at) ? null : at;
}
