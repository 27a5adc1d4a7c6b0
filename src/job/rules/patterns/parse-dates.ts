import { toDurationMs } from "../durations.ts";
import { orExpected, type Parsed } from "../parsed.ts";

const dayMs = 86_400_000;
/** Unix ms before this (1973) are seconds by mistake. */
export const firstPlausibleMs = 100_000_000_000;

/**
 * A date is the last millisecond of that day in UTC, so that the day itself still counts. A time without a zone
 * is refused: it would mean another moment per machine.
 */
export function parseDateOrTime(value: unknown): Parsed<number> {
  const text = typeof value === "string" ? value.trim() : "";
  return orExpected(
    parseDay(text)?.to ?? parseTime(text),
    "a date (2026-12-01, its whole day in UTC) or a time with a zone (2026-12-01T18:00:00Z)",
  );
}

export function parseDay(text: string): { readonly from: number; readonly to: number } | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const from = Date.parse(`${text}T00:00:00Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(from) || new Date(from).toISOString().slice(0, 10) !== text) return null;
  return { from, to: from + dayMs - 1 };
}

export function parseTime(text: string): number | null {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))$/.exec(text) ?? [];
  if (date === undefined || parseDay(date) === null) return null;
  const at = Date.parse(`${date}T${time}`);
  return Number.isNaN(at) ? null : at;
}

export type DateEdge =
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "ago"; readonly ms: number };

/** `-2d`, `now`, a date (its whole day belongs to the range), a time with a zone, or Unix ms. */
export function parseEdge(value: unknown, side: "from" | "to"): Parsed<DateEdge> {
  return orExpected(
    toEdge(value, side),
    "a time before now (-2d), a date (2026-11-01), a time with a zone (2026-11-01T18:00:00Z) or Unix milliseconds",
  );
}

function toEdge(value: unknown, side: "from" | "to"): DateEdge | null {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && value >= firstPlausibleMs ? { kind: "at", at: value } : null;
  }
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "now") return { kind: "ago", ms: 0 };
  const [, span] = /^(?:now\s*)?-\s*(\S+)$/.exec(text) ?? [];
  if (span !== undefined) {
    const ms = toDurationMs(span);
    return ms === null ? null : { kind: "ago", ms };
  }
  const at = parseDay(text)?.[side] ?? parseTime(text);
  return at === null ? null : { kind: "at", at };
}

export function resolveEdge(edge: DateEdge, now: number): number {
  return edge.kind === "at" ? edge.at : now - edge.ms;
}
