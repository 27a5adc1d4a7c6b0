import { orExpected, type Parsed } from "./parsed.ts";

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** A span of whole ms, exactly and as a document writes it: `1h30m`, `500ms`, `0s`. */
export function durationText(durationMs: number): string {
  if (durationMs < 0) return `-${durationText(-durationMs)}`;
  return textOf(durationMs, 0, units.length);
}

/** The two largest units, rounded down (`40s`, `5m`, `1h30m`); below a second in `ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`;
  if (durationMs < 1_000) return durationMs === 0 ? "0s" : `${Math.floor(durationMs)}ms`;
  const largest = units.findIndex(([, unitMs]) => durationMs >= unitMs);
  return textOf(durationMs, largest, Math.min(largest + 2, 4));
}

function textOf(durationMs: number, first: number, end: number): string {
  let remaining = durationMs;
  let text = "";
  for (const [unit, unitMs] of units.slice(first, end)) {
    const count = Math.floor(remaining / unitMs);
    if (count > 0) text += `${count}${unit}`;
    remaining -= count * unitMs;
  }
  return text === "" ? "0s" : text;
}

/** `30s`, `2m`, `1h30m`, `3d`, `250ms`: whole numbers with units, largest first, as milliseconds. */
export function parseDuration(value: unknown): Parsed<number> {
  const text = typeof value === "string" ? value.trim() : "";
  const isNumberAlone = typeof value === "number" || /^\d+$/.test(text);
  const expected = isNumberAlone
    ? "a duration with a unit (ms, s, m, h or d), such as 30s: a number alone has none"
    : "a duration in ms, s, m, h or d, such as 30s, 2m, 1h30m or 3d";
  return orExpected(toDurationMs(text), expected);
}

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
