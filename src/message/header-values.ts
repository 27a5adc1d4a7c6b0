import type { HeaderValues } from "./dead-letter.ts";

/** One header under the name first met, with the values of all its spellings in order. */
export interface NamedValues {
  readonly name: string;
  readonly values: readonly string[];
}

/** All values of a header in any case; empty when it is absent. */
export function valuesOf(header: HeaderValues, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return Object.entries(header).flatMap(([listed, values]) =>
    listed.toLowerCase() === wanted ? values : [],
  );
}

/**
 * By lower-case name; names that differ only in case are one header. Headers without a value are left out.
 */
export function byLowerName(header: HeaderValues): ReadonlyMap<string, NamedValues> {
  const merged = new Map<string, { name: string; values: string[] }>();
  for (const [name, values] of Object.entries(header)) {
    if (values.length === 0) continue;
    const lower = name.toLowerCase();
    const known = merged.get(lower);
    if (known === undefined) merged.set(lower, { name, values: [...values] });
    else known.values.push(...values);
  }
  return merged;
}

/** A token of RFC 9110 §5.6.2, the form of header names and methods. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** RFC 9110 §5.5: no control characters but tab. Bytes above 0x7f are allowed and travel as UTF-8. */
export function isFieldValue(text: string): boolean {
  return !/[^\P{Cc}\t\u{80}-\u{9f}]|\p{Cs}/u.test(text);
}

/** Fields of one value, not a list: RFC 9110 §5.3 forbids joining them, and joining cookies changes them. */
const singleValued: ReadonlySet<string> = new Set([
  "age",
  "authorization",
  "content-location",
  "content-range",
  "content-type",
  "cookie",
  "date",
  "etag",
  "expires",
  "from",
  "if-modified-since",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "origin",
  "range",
  "referer",
  "retry-after",
  "set-cookie",
]);

/** The values as the one string of an item header; null if HTTP does not allow joining them. */
export function joinValues(lowerName: string, values: readonly string[]): string | null {
  if (values.length > 1 && singleValued.has(lowerName)) return null;
  return values.join(", ");
}
