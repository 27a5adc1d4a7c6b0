import { parseDuration } from "../../../job/rules/durations.ts";
import { parseDateOrTime } from "../../../job/rules/patterns/parse-dates.ts";

export const quietEndExpected =
  "changed, a duration (2h), or a date (2026-12-01) or time with a zone (2026-12-01T18:00:00Z) to come";

/** `changed`, or a moment after `now` as Unix ms; null: it is neither. */
export function parseQuietEnd(text: string, now: number): "changed" | number | null {
  if (text === "changed") return text;
  const span = parseDuration(text);
  const at = span.ok ? { ok: true as const, value: now + span.value } : parseDateOrTime(text);
  return at.ok && at.value > now ? at.value : null;
}
