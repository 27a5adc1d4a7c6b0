import { firstPlausibleMs, parseDay, parseTime } from "./parse-date-or-time.ts";
import { parseDuration } from "./parse-durations.ts";
import type { Parsed } from "./parsed.ts";

/** An end of a range of dates: a moment (Unix ms), or a time before the start of a pass. */
export type DateEdge =
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "ago"; readonly ms: number };

const expected =
  "a time before now (-2d), a date (2026-11-01), a time with a zone (2026-11-01T18:00:00Z) or Unix milliseconds";

/** `-2d`, `now`, a date (its whole day belongs to the range), a time with a zone, or Unix ms. */
export function parseEdge(value: unknown, side: "from" | "to"): Parsed<DateEdge> {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && value >= firstPlausibleMs
      ? { ok: true, value: { kind: "at", at: value } }
      : { ok: false, expected };
  }
  if (typeof value !== "string") return { ok: false, expected };
  const text = value.trim();
  if (text === "now") return { ok: true, value: { kind: "ago", ms: 0 } };
  const [, span] = /^(?:now\s*)?-\s*(\S+)$/.exec(text) ?? [];
  if (span !== undefined) {
    const ms = parseDuration(span);
    return ms.ok ? { ok: true, value: { kind: "ago", ms: ms.value } } : { ok: false, expected };
  }
  const at = parseDay(text)?.[side] ?? parseTime(text);
  return at === null ? { ok: false, expected } : { ok: true, value: { kind: "at", at } };
}

/** The moment, in Unix ms, for a pass that begins at `now`. */
export function resolveEdge(edge: DateEdge, now: number): number {
  return edge.kind === "at" ? edge.at : now - edge.ms;
}
