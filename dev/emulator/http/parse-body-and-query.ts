import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { isNestedTooDeeply, maxNesting } from "../check-input.ts";
import { EmulatorRefusal } from "../refusal.ts";

/** The body as JSON, whatever its content type says. */
export function readJson({ body }: { readonly body: Buffer }): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    throw new EmulatorRefusal(400, "request body is not valid JSON");
  }
  if (isNestedTooDeeply(value)) {
    throw new EmulatorRefusal(400, `request body is nested more than ${maxNesting} levels deep`);
  }
  return value;
}

/** Refuses with 400 a parameter that is not known, and one of a single value that comes twice. */
export function refuseParameters(
  query: URLSearchParams,
  known: readonly string[],
  single: readonly string[],
): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) throw new EmulatorRefusal(400, `unknown query parameter: ${name}`);
    if (single.includes(name) && query.getAll(name).length > 1) {
      throw new EmulatorRefusal(400, `query parameter ${name} cannot be repeated`);
    }
  }
}

/** At commas; a URL may contain them, so only one that a scheme follows separates two. */
const separatorOf = (name: string): RegExp => (name === "url" ? /,(?=https?:\/\/)/i : /,/);

/**
 * The values of one parameter, repeated and comma separated alike; undefined if none is given. Empty ones
 * count as not given; blanks, and commas with nothing between them, are values, which find nothing.
 */
export function valuesOf(query: URLSearchParams, name: string): string[] | undefined {
  const values = query.getAll(name).flatMap((value) => splitValue(value, separatorOf(name)));
  return values.length === 0 ? undefined : values;
}

function splitValue(value: string, separator: RegExp): string[] {
  if (value === "") return [];
  const parts = value.split(separator).filter((part) => part !== "");
  return parts.length === 0 ? [value] : parts.map((part) => part.trim() || part);
}

export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text ? toInteger(name, text) : undefined;
}

/** How many are asked for, from 1 up, or what stands for it if it is not given. */
export function countOf(query: URLSearchParams, max: number, otherwise: number): number {
  const count = integerOf(query, "count");
  if (count === undefined) return otherwise;
  if (count < 1 || count > max) throw new EmulatorRefusal(400, `count must be between 1 and ${max}`);
  return count;
}

export function toInteger(name: string, text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new EmulatorRefusal(400, `${name} must be an integer: ${text}`);
}

/** A natural number, or what stands for it if it is not given. */
export function naturalOf<T>(
  query: URLSearchParams,
  name: string,
  otherwise: T,
  max = Number.MAX_SAFE_INTEGER,
): number | T {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,15}$/.test(text)) throw new EmulatorRefusal(400, `${name} must be a natural number: ${text}`);
  if (Number(text) > max) throw new EmulatorRefusal(400, `${name} must be at most ${max}: ${text}`);
  return Number(text);
}

/** Ids in the query, or in a body of exactly the form `{"<name>": ["…"]}`, as older clients send them. */
export function idsOf(
  query: URLSearchParams,
  body: Buffer,
  name: string,
  minInBody: number,
): string[] | undefined {
  if (body.length === 0) return valuesOf(query, name);
  const ids = idsInBody(body, name);
  if (ids === undefined || ids.length < minInBody) {
    throw new EmulatorRefusal(400, `the body must be empty or {"${name}": ["…"]}`);
  }
  if (query.has(name)) {
    throw new EmulatorRefusal(400, `${name} can be given in the query or in the body, not in both`);
  }
  return ids.length === 0 ? undefined : ids;
}

function idsInBody(body: Buffer, name: string): string[] | undefined {
  const text = body.toString("utf8");
  try {
    const form = z.strictObject({ [name]: z.array(z.string().min(1)) });
    const ids = form.parse(isUtf8(body) ? JSON.parse(text) : undefined)[name]!;
    return hasOneKey(text, ids) ? ids : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a body that was read as these ids has its one key once. Parsing keeps the last of several and drops
 * the others unseen; but then there are more strings in the text than ids and one key.
 */
function hasOneKey(json: string, ids: readonly string[]): boolean {
  // Without its escapes, every quote in valid JSON begins or ends a string.
  const quotes = json.replaceAll(/\\./g, "").split('"').length - 1;
  return quotes === 2 * (1 + ids.length);
}
