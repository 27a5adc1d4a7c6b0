import type { HeaderValues } from "./dead-letter.ts";
import { byLowerName, joinValues } from "./header-values.ts";
import { lineageHeaderName } from "./lineage.ts";

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
    const value = joinValues(lower, values);
    if (value === null || name === "") return null;
    forward.set(lower, { name, value });
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
