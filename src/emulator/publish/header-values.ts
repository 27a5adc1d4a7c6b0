import { EmulatorRefusal } from "../refusal.ts";
import { parseDurationMs } from "./durations.ts";
import { canonicalName } from "./header-names.ts";
import type { FlowControlLimits, Redaction } from "./message.ts";

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
  return isFit(parallelism, mostCalls) && isFit(rate, mostCalls) && isFit(periodSeconds, mostSeconds);
}

const isFit = (limit: number | undefined, most: number): boolean =>
  limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= most);

/** Nine digits, as in the header. */
const mostCalls = 999_999_999;
/** As milliseconds it is still exact. */
const mostSeconds = Math.floor(Number.MAX_SAFE_INTEGER / 1_000);

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
