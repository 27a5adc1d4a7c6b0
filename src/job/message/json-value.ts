export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Of a text with values that rules ask or edit. More is not parsed: all pages of a worker share its memory. */
export const maxJsonCharacters = 8_388_608;
/**
 * Commas, colons and opening brackets, also within texts. Half a million members with names of their own take
 * 100 MB and more than a second to be edited.
 */
export const maxJsonMarks = 1_000_000;

/** Beyond one of the limits above. */
export function isTooMuchJson(text: string): boolean {
  return text.length > maxJsonCharacters || hasTooManyMarks(text);
}

function hasTooManyMarks(text: string): boolean {
  if (text.length <= maxJsonMarks) return false;
  let marks = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isMark = code === comma || code === colon || code === bracket || code === brace;
    if (isMark && ++marks > maxJsonMarks) return true;
  }
  return false;
}

const comma = 0x2c;
const colon = 0x3a;
const bracket = 0x5b;
const brace = 0x7b;

/** Undefined if it is none. A byte order mark in front is passed over (RFC 8259, 8.1). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as unknown;
  } catch {
    return undefined;
  }
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A moment that a `Date` can hold. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
