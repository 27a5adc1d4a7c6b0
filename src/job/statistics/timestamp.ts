import type { Instant } from "../contracts/index-statistics.ts";

/**
 * The service prints instants as `2025-10-19 18:33:05.244068975 +0000 UTC`, with zero, three or nine fraction
 * digits seen (remote-contract.md). Date.parse is not used: the form is not ISO, engines differ on it, and it
 * drops digits below a millisecond.
 */
const form = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))? \+0000 UTC$/;

/** The instant, or undefined for any other form and for a date or time of day that does not exist. */
export function parseTimestamp(text: string): Instant | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, ...rest] = match.slice(1, 7).map(Number);
  const wholeMs = Date.UTC(year, month - 1, ...rest);
  // Date.UTC carries 31 February over into March and reads year 25 as 1925. A text that does not survive the
  // round trip was not a date.
  if (new Date(wholeMs).toISOString() !== `${text.slice(0, 10)}T${text.slice(11, 19)}.000Z`) return undefined;
  const fractionNanos = Number((match[7] ?? "").padEnd(9, "0"));
  return { epochMs: wholeMs + Math.floor(fractionNanos / 1_000_000), nanos: fractionNanos % 1_000_000 };
}

/** Unix seconds for a metric; a double keeps about a quarter of a microsecond. */
export function toUnixSeconds(at: Instant): number {
  return at.epochMs / 1000 + at.nanos / 1e9;
}
