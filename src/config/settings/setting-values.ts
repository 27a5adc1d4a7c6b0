import { parseUrl } from "../../message/destination.ts";
import { parseHostPattern } from "../../message/item-check.ts";
import { parseDuration } from "../../rules/durations.ts";
import type { Parsed } from "../../rules/patterns/pattern-kind.ts";
import { parseServiceUrl } from "../http-address.ts";

/**
 * Parsers of single settings. From the environment and from flags come texts, from a settings file also numbers and
 * lists; each parser takes both.
 */
export type ParseSetting<Value> = (value: unknown) => Parsed<Value>;

const accept = <Value>(value: Value): Parsed<Value> => ({ ok: true, value });
const refuse = (expected: string): { readonly ok: false; readonly expected: string } => ({
  ok: false,
  expected,
});

/** A setting without a value is `undefined`; in convict it is null. */
export function optional<Value>(parse: ParseSetting<Value>): ParseSetting<Value | undefined> {
  return (value) => (value === null || value === undefined ? accept(undefined) : parse(value));
}

export function wholeNumber(from: number, to: number): ParseSetting<number> {
  return (value) => {
    const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isInteger(number) && number >= from && number <= to)
      return accept(number);
    return refuse(`a whole number from ${from} to ${to}`);
  };
}

/** Node's timers end at once when they are set for more than 24.8 days, and no timeout or interval of a process is meant to be that long. */
const maxDurationMs = 7 * 86_400_000;

/** Milliseconds from "500ms", "30s", "2m", "1h", "3d". `min` is such a text too. */
export function duration(min: string): ParseSetting<number> {
  const bound = parseDuration(min);
  const minMs = bound.ok ? bound.value : 0;
  return (value) => {
    const parsed = parseDuration(value);
    return parsed.ok && parsed.value >= minMs && parsed.value <= maxDurationMs
      ? accept(parsed.value)
      : refuse(`a duration of at least ${min} and at most 7d, such as "30s"`);
  };
}

/** JSON is read from and written to one text, and V8's maximum is 2^29 - 24 characters: what is larger could not be handled anyway. */
const maxBytes = 512 * 1_048_576;

/** Bytes from a whole number, or from "64KiB", "4MiB". */
export function bytes(from: number): ParseSetting<number> {
  return (value) => {
    const match = /^(\d{1,12})(KiB|MiB|GiB|)$/.exec(
      typeof value === "number" ? String(value) : typeof value === "string" ? value : "",
    );
    const unit = { KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 }[match?.[2] ?? ""] ?? 1;
    const count = match === null ? Number.NaN : Number(match[1]) * unit;
    return Number.isSafeInteger(count) && count >= from && count <= maxBytes
      ? accept(count)
      : refuse(`a size of at least ${from} bytes and at most 512MiB, such as "4MiB"`);
  };
}

export function bytesOrAuto(from: number): ParseSetting<number | "auto"> {
  const parse = bytes(from);
  return (value) => {
    if (value === "auto") return accept("auto" as const);
    const parsed = parse(value);
    return parsed.ok ? parsed : refuse(`auto, or a size from ${from} bytes to 512MiB, such as "64MiB"`);
  };
}

/** Text that fits on one line, not empty. */
export function line(what: string): ParseSetting<string> {
  return (value) => {
    if (typeof value === "string" && value.length <= 4_096 && /^\P{Cc}+$/u.test(value)) return accept(value);
    return refuse(what);
  };
}

export function matching(pattern: RegExp, what: string): ParseSetting<string> {
  return (value) =>
    typeof value === "string" && value.length <= 255 && pattern.test(value) ? accept(value) : refuse(what);
}

export function oneOf<const Name extends string>(names: readonly Name[]): ParseSetting<Name> {
  return (value) => {
    const name = names.find((known) => known === value);
    return name === undefined ? refuse(`one of ${names.join(", ")}`) : accept(name);
  };
}

export const serviceUrl: ParseSetting<string> = parseServiceUrl;

export const redisUrl: ParseSetting<string> = (value) => {
  const expected = 'an address such as "redis://127.0.0.1:6379/0" or "rediss://user:password@host:6379"';
  if (typeof value !== "string" || !/^[^\s\p{Cc}]{1,4096}$/u.test(value)) return refuse(expected);
  const url = parseUrl(value);
  if (url === null) return refuse(expected);
  const fits =
    ["redis:", "rediss:"].includes(url.protocol) &&
    url.hostname !== "" &&
    /^(\/\d{0,5})?$/.test(url.pathname) &&
    isDecodable(url.username) &&
    isDecodable(url.password);
  return fits && url.hash === "" ? accept(value) : refuse(expected);
};

/** `host:port`, with brackets around an IPv6 address. */
export const redisNode: ParseSetting<string> = (value) => {
  const expected = 'an address such as "10.0.0.1:26379"';
  if (typeof value !== "string" || !/^[^\s/@?#\p{Cc}]{1,255}:\d{1,5}$/u.test(value)) return refuse(expected);
  return parseUrl(`redis://${value}`) === null ? refuse(expected) : accept(value);
};

export const yesOrNo: ParseSetting<boolean> = (value) => {
  if (value === true || value === "true") return accept(true);
  if (value === false || value === "false") return accept(false);
  return refuse("true or false");
};

/** Clients decode user and password, and fail at a `%` alone. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A list, or one text with commas between its members. */
export function listOf<Value>(member: ParseSetting<Value>, what: string): ParseSetting<readonly Value[]> {
  return (value) => {
    const members: unknown = typeof value === "string" ? value.split(",").map((part) => part.trim()) : value;
    if (!Array.isArray(members) || members.length > 100) return refuse(what);
    const parsed = members.filter((part) => part !== "").map(member);
    const values = parsed.flatMap((part) => (part.ok ? [part.value] : []));
    return values.length === parsed.length ? accept(values) : refuse(what);
  };
}

export function atLeastOne<Value>(
  list: ParseSetting<readonly Value[]>,
  what: string,
): ParseSetting<readonly Value[]> {
  return (value) => {
    const parsed = list(value);
    return parsed.ok && parsed.value.length === 0 ? refuse(what) : parsed;
  };
}

/** A host as its URL spells it, every host below a name, or every host. */
export const hostPattern: ParseSetting<string> = (value) => {
  const pattern = typeof value === "string" ? parseHostPattern(value) : null;
  return pattern === null ? refuse('a host such as "api.example.com" or "*.example.com"') : accept(pattern);
};

/** Printable ASCII without spaces: what can stand in an Authorization header. */
export const secretText: ParseSetting<string> = (value) =>
  typeof value === "string" && value.length <= 8_192 && /^[\u0021-\u007e]+$/.test(value)
    ? accept(value)
    : refuse("printable characters without spaces");

const minKeyLength = 16;

/**
 * A secret that signs. 16 characters of base64 are 96 bits. Whoever guesses the key can make a message look like a come-back, and its parent
 * is deleted on that evidence.
 */
export const signingKey: ParseSetting<string> = (value) => {
  const parsed = secretText(value);
  return parsed.ok && parsed.value.length >= minKeyLength
    ? parsed
    : refuse(`a key of at least ${minKeyLength} printable characters without spaces`);
};
