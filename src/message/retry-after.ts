import type { DeadLetter } from "./dead-letter.ts";
import { valuesOf } from "./headers.ts";

/** 24 h is the maximum wait that a receiver can ask for. Longer waits are the operator's to configure. */
const capMs = 86_400_000;
/** 31 d: a time further ahead is a mistake in the header. */
const plausibleMs = 31 * 86_400_000;
/** 2001-09-09: a number of seconds from here on is a Unix time, not a wait of 31 years. */
const firstUnixSeconds = 1_000_000_000;
/** The same for milliseconds. */
const firstUnixMs = 1_000_000_000_000;

/**
 * The receiver's requested pause ends at this time (Unix ms). From `Retry-After` and `X-RateLimit-Reset` of
 * the stored response, counted from entry into the DLQ. The later of the two counts. Null without a plausible
 * value.
 */
export function retryAfterOf({ responseHeader, enteredAt }: DeadLetter): number | null {
  let latest = enteredAt;
  for (const name of pauseHeaders) {
    for (const value of valuesOf(responseHeader, name)) {
      const at = parseRetryMoment(value, enteredAt) ?? 0;
      if (at > latest && at <= enteredAt + plausibleMs) latest = at;
    }
  }
  return latest === enteredAt ? null : Math.min(latest, enteredAt + capMs);
}

const pauseHeaders = ["retry-after", "x-ratelimit-reset"];

/**
 * The moment (Unix ms) of a requested pause: seconds, a Unix time, an HTTP date or a Go duration (`1m30s`).
 * Relative values count from `from`. Null for anything else.
 */
export function parseRetryMoment(text: string, from: number): number | null {
  const value = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number >= firstUnixMs) return Math.ceil(number);
    return number >= firstUnixSeconds ? Math.ceil(number * 1_000) : from + Math.ceil(number * 1_000);
  }
  const at = parseHttpDate(value);
  if (at !== null) return at;
  const durationMs = toGoDurationMs(value);
  return durationMs === null ? null : from + Math.ceil(durationMs);
}

/** IMF-fixdate (RFC 9110 §5.6.7), which senders must generate. Date.parse takes "1" for 2001. */
export function parseHttpDate(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

const goUnits: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** The text form of Go's time.Duration without a sign: `300ms`, `1.5h`, `2h45m`. */
function toGoDurationMs(value: string): number | null {
  const part = /(\d{1,12}(?:\.\d{1,9})?)(ns|us|µs|μs|ms|s|m|h)/y;
  let totalMs = 0;
  while (part.lastIndex < value.length) {
    const [, number, unit] = part.exec(value) ?? [];
    if (number === undefined || unit === undefined) return null;
    totalMs += Number(number) * (goUnits[unit] ?? 0);
  }
  return value === "" ? null : totalMs;
}
