import { canonicalName, sumOfUnits } from "../publish/header-values.ts";
import type { HeaderMap } from "../publish/message.ts";

/** In the order in which they are asked (vendor: Retry, "Retry-After Headers"). */
const names = [
  "Retry-After",
  "X-RateLimit-Reset",
  "X-RateLimit-Reset-Requests",
  "X-RateLimit-Reset-Tokens",
].map(canonicalName);

/**
 * One day, the longest wait of the ladder. Who asks for more is ignored (vendor: the backoff applies then).
 */
const maxWaitMs = 86_400_000;

/**
 * The wait before retry `n` (1, 2, …): min(86400, e^(2.5 n)) seconds, so 12 s, 2 m 28 s, 30 m 8 s, 6 h 7 m,
 * 24 h.
 */
export const retryLadderMs = (n: number): number => Math.min(maxWaitMs, Math.exp(2.5 * n) * 1_000);

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

// No count of seconds up to one day comes near 1e9, the second in September 2001; above 1e12 it is
// milliseconds.
const minTimestamp = 1e9;
const minTimestampMs = 1e12;

/** The wait that a failed answer asks for, 0 if its moment has passed; undefined if it asks for none. */
export function askedWaitMs(header: HeaderMap, now: number): number | undefined {
  for (const name of names) {
    const text = Object.hasOwn(header, name) ? header[name]?.[0] : undefined;
    const waitMs = text === undefined ? undefined : parseWaitMs(text.trim(), now);
    if (waitMs !== undefined && waitMs <= maxWaitMs) return Math.max(0, waitMs);
  }
  return undefined;
}

/** Seconds, a unix timestamp, a Go duration (`6m0s`) or an RFC 1123 date. */
function parseWaitMs(text: string, now: number): number | undefined {
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(text)) {
    const number = Number(text);
    if (number < minTimestamp) return number * 1_000;
    return (number < minTimestampMs ? number * 1_000 : number) - now;
  }
  if (/^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) {
    const moment = Date.parse(text);
    return Number.isNaN(moment) ? undefined : moment - now;
  }
  const isDuration = /^(?:\d{1,12}(?:\.\d{1,9})?(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)){1,8}$/.test(text);
  return isDuration ? sumOfUnits(text, unitMs) : undefined;
}
