import { EmulatorRefusal } from "../refusal.ts";
import type { FlowControlLimits, Redaction } from "./message.ts";

/** `x-order-id` → `X-Order-Id`: header names are case-insensitive, records show one form. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);

/** Visible characters, spaces and tabs, and Latin-1: what one HTTP/1.1 field line can carry. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Each unit counts, in any order: `1d10h30m`. */
export function sumOfUnits(text: string, units: Readonly<Record<string, number>>): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([^\d.]+)/g)) total += Number(amount) * units[unit!]!;
  return total;
}

/** `30s`, `1d10h30m` in milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(?:\d{1,12}[smhd])+$/.test(text)) return undefined;
  const total = sumOfUnits(text, unitMs);
  return Number.isSafeInteger(total) ? total : undefined;
}

/** `parallelism=<n>, rate=<n>, period=<duration or seconds>`; key and value only together. */
export function parseFlowControl(
  key: string | undefined,
  value: string | undefined,
): FlowControlLimits | undefined {
  if (key === undefined && value === undefined) return undefined;
  if (key === undefined || value === undefined) {
    throw new EmulatorRefusal(400, "Flow-Control-Key and Flow-Control-Value must be given together");
  }
  const refusal = new EmulatorRefusal(400, `invalid Flow-Control-Value: ${value}`);
  const numbers = new Map<string, number>();
  for (const part of value.split(",")) {
    const match = /^\s*(parallelism|rate|period)\s*=\s*(\S+)\s*$/.exec(part);
    if (match === null) throw refusal;
    const number = match[1] === "period" ? seconds(match[2]!) : integer(match[2]!);
    if (number === undefined || number < 1) throw refusal;
    numbers.set(match[1]!, number);
  }
  if (!numbers.has("parallelism") && !numbers.has("rate")) throw refusal;
  return {
    key,
    parallelism: numbers.get("parallelism"),
    rate: numbers.get("rate"),
    periodSeconds: numbers.get("period") ?? (numbers.has("rate") ? 1 : undefined),
  };
}

/** Whether calls can ever be made under these limits: a record put there directly may hold any. */
export function isFlowControl({ parallelism, rate, periodSeconds }: FlowControlLimits): boolean {
  return isFit(parallelism, maxCalls) && isFit(rate, maxCalls) && isFit(periodSeconds, maxSeconds);
}

const isFit = (limit: number | undefined, max: number): boolean =>
  limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= max);

/** Nine digits, as in the header. */
const maxCalls = 999_999_999;
/** As milliseconds it is still exact. */
const maxSeconds = Math.floor(Number.MAX_SAFE_INTEGER / 1_000);

/** `body`, `header` (or `headers`), `header[Name]`, comma separated. */
export function parseRedaction(text: string | undefined): Redaction | undefined {
  if (text === undefined) return undefined;
  let body = false;
  let all = false;
  const names = new Set<string>();
  for (const field of text.split(",").map((part) => part.trim())) {
    const name = /^header\[(.+)\]$/i.exec(field)?.[1];
    if (field.toLowerCase() === "body") body = true;
    else if (/^headers?$/i.test(field)) all = true;
    else if (name !== undefined) names.add(canonicalName(name.trim()));
    else throw new EmulatorRefusal(400, `invalid Redact-Fields: ${text}`);
  }
  return { body, headers: all ? "all" : names };
}

const integer = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);

const seconds = (text: string): number | undefined => {
  const durationMs = parseDurationMs(text);
  return durationMs === undefined ? integer(text) : durationMs / 1_000;
};
