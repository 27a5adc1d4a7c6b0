import type { Parsed } from "./parsed.ts";

const units = "ms, s, m, h or d";

/** `30s`, `2m`, `1h30m`, `3d`, `250ms`: whole numbers with units, largest first, as milliseconds. */
export function parseDuration(value: unknown): Parsed<number> {
  if (typeof value === "number" || (typeof value === "string" && /^\s*\d+\s*$/.test(value))) {
    return { ok: false, expected: `a duration with a unit (${units}), such as 30s: a number alone has none` };
  }
  const durationMs = typeof value === "string" ? toDurationMs(value.trim()) : null;
  return durationMs === null
    ? { ok: false, expected: `a duration in ${units}, such as 30s, 2m, 1h30m or 3d` }
    : { ok: true, value: durationMs };
}

/** In ms; null for a text that is no duration. */
export function toDurationMs(text: string): number | null {
  const match = /^(?:(\d{1,6})d)?(?:(\d{1,8})h)?(?:(\d{1,9})m)?(?:(\d{1,10})s)?(?:(\d{1,12})ms)?$/.exec(text);
  if (match === null || text === "") return null;
  const [days, hours, minutes, seconds, milliseconds] = match.slice(1).map((digits) => Number(digits ?? 0));
  return (
    (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60_000 +
    (seconds ?? 0) * 1_000 +
    (milliseconds ?? 0)
  );
}
