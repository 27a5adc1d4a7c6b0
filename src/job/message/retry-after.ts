import type { DeadLetter } from "./dead-letter.ts";
import { parseHttpDate, parseIsoDuration, parseIsoTime, parseWordedDuration } from "./moment-texts.ts";
import { oncePerText } from "./once-per-text.ts";

/** 24 h is the maximum wait that a receiver can ask for. Longer waits are the operator's to configure. */
const capMs = 86_400_000;
/** 31 d: a time further ahead is a mistake in the header. */
const plausibleMs = 31 * 86_400_000;
/** 2001-09-09: so many ms are a Unix time, not a wait of 31 years. */
const firstUnixMs = 1_000_000_000_000;

/** The status with which a receiver says "never again" (remote-contract.md, trap 9). */
export const nonRetryableStatus = 489;

/** No retries wanted: that status with `<P>NonRetryable-Error: true`, any prefix (remote-contract.md, trap 9). */
export function isNonRetryable(letter: DeadLetter): boolean {
  if (letter.responseStatus !== nonRetryableStatus) return false;
  return Object.entries(letter.responseHeader).some(
    ([name, values]) =>
      name.toLowerCase().endsWith("nonretryable-error") &&
      values.some((value) => value.trim().toLowerCase() === "true"),
  );
}

/** Unix ms, counted from entry into the DLQ; of all headers the latest that is plausible. */
export function retryAfterOf({ responseHeader, enteredAt }: DeadLetter): number | null {
  let latest = enteredAt;
  for (const name in responseHeader) {
    const toMoments = readerOf(name);
    if (toMoments === null) continue;
    for (const value of responseHeader[name] ?? []) {
      if (value.length > maxValueLength) continue;
      for (const at of toMoments(value, enteredAt)) {
        if (at > latest && at <= enteredAt + plausibleMs) latest = at;
      }
    }
  }
  return latest === enteredAt ? null : Math.min(latest, enteredAt + capMs);
}

type ToMoments = (value: string, from: number) => readonly number[];

/** Longer than any name or value of them. A receiver may send anything. */
const maxNameLength = 64;
const maxValueLength = 1_024;

const readerOf = oncePerText(500, maxNameLength, (name): ToMoments | null => {
  if (name.length > maxNameLength) return null;
  const lower = name.toLowerCase();
  if (/(?:^|-)retry-after-ms$/.test(lower)) return momentsOfMs;
  if (/(?:^|-)retry-after$/.test(lower)) return momentsOfList;
  // The field of the IETF's draft, of before and of today.
  if (/^(?:x-)?rate-?limit$/.test(lower)) return momentsOfRateLimit;
  // X-RateLimit-Reset, RateLimit-Reset, X-RateLimit-Reset-Tokens, X-RateLimit-Requests-Reset.
  return /(?:^|-)rate-?limit-(?:[a-z]+-)?reset(?:-[a-z]+)?$/.test(lower) ? momentsOfList : null;
});

/** A comma behind the name of a day belongs to a date. */
const listComma = /(?<!\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?),/i;

function momentsOfList(value: string, from: number): readonly number[] {
  return value.split(listComma).flatMap((one) => parseRetryMoment(one, from) ?? []);
}

function momentsOfMs(value: string, from: number): readonly number[] {
  return value.split(",").flatMap((one) => (isNumber(one.trim()) ? numberMoment(Number(one), from) : []));
}

/** `"default";r=0;t=30`, and `limit=10, remaining=0, reset=30` of earlier drafts. Its policies have names. */
function momentsOfRateLimit(value: string, from: number): readonly number[] {
  const bare = value.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  return [...bare.matchAll(/(?:^|[;,])\s*(?:t|reset)\s*=\s*([^;,\s]+)/gi)].flatMap(
    ([, text = ""]) => parseRetryMoment(text, from) ?? [],
  );
}

/** Seconds, Unix time, HTTP date, ISO 8601, `1m30s`, `1 minute`, `PT90S`, in quotes or behind a plus. */
export function parseRetryMoment(text: string, from: number): number | null {
  const value = text
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim()
    .replace(/^\+(?=[\d.])/, "");
  if (isNumber(value)) {
    const number = Number(value);
    return numberMoment(number < firstUnixMs ? number * 1_000 : number, from);
  }
  const at = parseHttpDate(value, from) ?? parseIsoTime(value);
  if (at !== null) return at;
  const durationMs = parseWordedDuration(value) ?? parseIsoDuration(value);
  return durationMs === null ? null : from + Math.ceil(durationMs);
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

function numberMoment(ms: number, from: number): number {
  return Math.ceil(ms) >= firstUnixMs ? Math.ceil(ms) : from + Math.ceil(ms);
}
