import { formatDuration } from "../../rules/durations.ts";

/** `2026-11-20 10:15:00 UTC`; a number that is no moment as it is. */
export function toTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  return date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}

/** `in 1m12s to 10m`, `in 1h`. */
export function toSpan(from: number, to: number, now: number): string {
  const [first, last] = [from, to].map((at) => formatDuration(Math.max(0, at - now)));
  return first === last ? `in ${first}` : `in ${first} to ${last}`;
}
