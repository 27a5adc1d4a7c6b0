import * as z from "zod";
import { parseAddressRange } from "../../address-ranges.ts";
import { parseHostPattern } from "../../job/message/item-policy.ts";
import { parseUrl } from "../../job/message/destination-url.ts";
import { parseDuration } from "../../job/rules/durations.ts";
import { parsed, wholeNumber as wholeNumberIn } from "../document/schema/building-blocks.ts";
import { findCopyingMistake, findSemicolon, findUnfitCharacter } from "./secret-mistakes.ts";
import { parseServiceUrl } from "../service-and-callback-urls.ts";

/** From the environment and from flags come texts, from a settings file also numbers and lists; each takes both. */

function read<Value>(parse: (value: unknown) => Value | null, expected: string): z.ZodType<Value> {
  return parsed<Value>((value) => {
    const result = parse(value);
    return result === null ? { ok: false, expected } : { ok: true, value: result };
  });
}

/** A setting without a value is `undefined`; in convict it is null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => value ?? undefined, schema.optional());
}

export function wholeNumber(from: number, to: number) {
  const digits = z.string().regex(/^\d{1,15}$/);
  return z.preprocess(
    (value) => (digits.safeParse(value).success ? Number(value) : value),
    wholeNumberIn(from, to),
  );
}

/** 7 d: Node's timers end at once when they are set for more than 24.8 days. */
const maxDurationMs = 7 * 86_400_000;

export function duration(min: string) {
  const bound = parseDuration(min);
  const minMs = bound.ok ? bound.value : 0;
  return read((value) => {
    const span = parseDuration(value);
    return span.ok && span.value >= minMs && span.value <= maxDurationMs ? span.value : null;
  }, `a duration of at least ${min} and at most 7d, such as "30s"`);
}

/** V8's maximum for the one text that JSON is read from and written to is 2^29 - 24 characters. */
const maxBytes = 512 * 1_048_576;

export function bytes(from: number) {
  return read((value) => {
    const text = typeof value === "number" ? String(value) : value;
    const match = typeof text === "string" ? /^(\d{1,12})(KiB|MiB|GiB|)$/.exec(text) : null;
    const unit = { KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 }[match?.[2] ?? ""] ?? 1;
    const count = Number(match?.[1]) * unit;
    return Number.isSafeInteger(count) && count >= from && count <= maxBytes ? count : null;
  }, `a size of at least ${from} bytes and at most 512MiB, such as "4MiB"`);
}

export function bytesOrAuto(from: number) {
  const expected = `auto, or a size from ${from} bytes to 512MiB, such as "64MiB"`;
  return z.union([z.literal("auto"), bytes(from)], expected);
}

export function matching(pattern: RegExp, what: string) {
  return z.string(what).max(255, what).regex(pattern, what);
}

export const serviceUrl = parsed(parseServiceUrl);

/** An address of one word and at most `maxLength`, of one of these protocols. */
function readUrl(value: unknown, maxLength: number, protocols: readonly string[]): URL | null {
  const isWord = typeof value === "string" && value.length <= maxLength && /^[^\s\p{Cc}]+$/u.test(value);
  const url = isWord ? parseUrl(value) : null;
  return url !== null && protocols.includes(url.protocol) ? url : null;
}

const areEmpty = (...parts: readonly string[]): boolean => parts.every((part) => part === "");

/** Has a host, and a user and password that clients can decode: they fail at a `%` alone. */
function isReachable({ hostname, username, password }: URL): boolean {
  try {
    return hostname !== "" && decodeURIComponent(`${username}:${password}`) !== "";
  } catch {
    return false;
  }
}

/** `http://` may be left out, as in HTTPS_PROXY. */
export const proxyUrl = read((value) => {
  const hasScheme = typeof value !== "string" || /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
  const url = readUrl(hasScheme ? value : `http://${value}`, 4_096, ["http:"]);
  if (url === null || !isReachable(url) || !areEmpty(url.search, url.hash)) return null;
  return ["", "/"].includes(url.pathname) ? url.href : null;
}, 'the address of a proxy for CONNECT, such as "http://proxy.example.com:3128" or "http://user:password@proxy.example.com:3128"');

/** Also what only other programs read in NO_PROXY: it names no host then. */
export const proxyExceptions = listOf(
  z.string().regex(/^[^\s\p{Cc}@]{1,255}$/u),
  'a list of hosts such as "localhost,.svc.cluster.local,10.0.0.0/8"',
);

export const pageUrl = read((value) => {
  const url = readUrl(value, 1_024, ["http:", "https:"]);
  const fits = url !== null && areEmpty(url.username, url.password, url.search, url.hash);
  return fits ? url.href.replace(/\/+$/, "") : null;
}, 'an address such as "https://redriver.example.com"');

export const redisUrl = read((value) => {
  const url = readUrl(value, 4_096, ["redis:", "rediss:"]);
  if (url === null || !isReachable(url) || url.hash !== "") return null;
  return /^(\/\d{0,5})?$/.test(url.pathname) ? String(value) : null;
}, 'an address such as "redis://127.0.0.1:6379/0" or "rediss://user:password@host:6379"');

export const portOrNone = z.union(
  [z.literal("none").transform(() => null), wholeNumber(0, 65_535)],
  "none, or a port from 0 to 65535",
);

/** Where the console has pages of its own: a base of that name could not be told from them. */
const consolePaths =
  "acts|api|assets|failures|history|indexes|live|messages|of-no-drain|parked|plans|report|rules|runbooks|sign-in";
const basePathPattern = new RegExp(`^(?!/(${consolePaths})(/|$))(/(?!\\.{1,2}(/|$))[\\w.~-]+)+$`);

export const basePath = read((value) => {
  if (typeof value !== "string" || value.length > 255) return null;
  const path = value.replace(/\/$/, "");
  return path === "" || basePathPattern.test(path) ? path : null;
}, 'a path such as "/redriver", of letters, digits and . _ ~ -, that begins with no page of the console such as /failures');

export const addressRange = z.string().refine((text) => parseAddressRange(text) !== null);

export const redisNode = z
  .string()
  .regex(/^[^\s/@?#\p{Cc}]{1,255}:\d{1,5}$/u)
  .refine((node) => parseUrl(`redis://${node}`) !== null);

export const yesOrNo = z.union(
  [z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")],
  "true or false",
);

export function listOf<Member extends z.ZodType>(member: Member, what: string) {
  return read((value) => {
    const members: unknown = typeof value === "string" ? value.split(",").map((part) => part.trim()) : value;
    if (!Array.isArray(members) || members.length > 100) return null;
    const list = z.array(member).safeParse(members.filter((part) => part !== ""));
    return list.success ? list.data : null;
  }, what);
}

export const hostPattern = read(
  (value) => (typeof value === "string" ? parseHostPattern(value) : null),
  'a host such as "api.example.com" or "*.example.com"',
);

function secret(
  expected: string,
  minLength: number,
  ...finders: readonly ((text: string) => string | null)[]
) {
  return z.string(expected).superRefine((text, context) => {
    const got = finders.map((find) => find(text)).find((one) => one !== null);
    const fits = got === undefined && text.length >= minLength && text.length <= 8_192;
    if (!fits)
      context.addIssue({ code: "custom", message: got === undefined ? expected : `${expected}, got ${got}` });
  });
}

const secretExpected = "the secret alone, printable characters without spaces";

/** Printable ASCII without spaces: what can stand in an Authorization header. Else of whatever form. */
export const secretText = secret(secretExpected, 1, findUnfitCharacter);

/** A secret that does not look as if more than the secret was copied. */
export const secretAlone = secret(secretExpected, 1, findCopyingMistake, findSemicolon, findUnfitCharacter);

const keyExpected = "a key of at least 16 printable characters without spaces";

/** 16 characters of base64 are 96 bits. Who guesses the key can make a message look like a come-back. */
export const signingKey = secret(keyExpected, 16, findCopyingMistake, findUnfitCharacter);

/** One that has signed before: it is what it is. */
export const formerSigningKey = secret(keyExpected, 16, findUnfitCharacter);
