import type { HeaderValues } from "./dead-letter.ts";

/** Signed, and travels with every redriven message (lineage.ts). */
export const lineageHeaderName = "X-Redriver";

/** All values of a header in any case; empty when it is absent. */
export function valuesOf(header: HeaderValues, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return Object.entries(header).flatMap(([listed, values]) =>
    listed.toLowerCase() === wanted ? values : [],
  );
}

/**
 * By lower-case name. Names that differ only in case are one header, under the first name. Headers without a
 * value are left out.
 */
export function byLowerName(
  header: HeaderValues,
): ReadonlyMap<string, { readonly name: string; readonly values: readonly string[] }> {
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

/** Headers on their way to a destination, by lower-case name. */
export type ForwardHeaders = Map<string, { readonly name: string; readonly value: string }>;

/**
 * Set by the connection that delivers, or by the service itself. Names that a Connection header lists are not
 * dropped: the listing shows them as sent to the destination, and a record must not be able to drop its own
 * Content-Type.
 */
const notForwarded: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "user-agent",
]);

/**
 * True if a header of this name may be forwarded: not of the connection, not the service's own
 * (`headerPrefix`, any case), and not the lineage header, which only redriver writes.
 */
export function isForwardable(name: string, headerPrefix: string): boolean {
  const lower = name.toLowerCase();
  return (
    !notForwarded.has(lower) &&
    !lower.startsWith(headerPrefix.toLowerCase()) &&
    lower !== lineageHeaderName.toLowerCase()
  );
}

/** The forwardable headers, one string each. Null if values cannot be joined or a name is empty. */
export function toForwardHeaders(header: HeaderValues, headerPrefix: string): ForwardHeaders | null {
  const forward: ForwardHeaders = new Map();
  for (const [lower, { name, values }] of byLowerName(header)) {
    if (!isForwardable(name, headerPrefix)) continue;
    const isJoinable = values.length === 1 || !singleValued.has(lower);
    if (!isJoinable || name === "") return null;
    forward.set(lower, { name, value: values.join(", ") });
  }
  return forward;
}

/** Sets or, with `null`, removes headers in any case. Names that may not be forwarded are skipped. */
export function changeHeaders(
  forward: ForwardHeaders,
  changes: Readonly<Record<string, string | null>>,
  headerPrefix: string,
): void {
  for (const [name, value] of Object.entries(changes)) {
    if (name === "" || !isForwardable(name, headerPrefix)) continue;
    if (value === null) forward.delete(name.toLowerCase());
    else forward.set(name.toLowerCase(), { name, value });
  }
}
