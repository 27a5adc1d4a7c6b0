import type { HeaderValues } from "./dead-letter.ts";
import { plain, toJsonText } from "./json-text.ts";
import { oncePerText } from "./once-per-text.ts";

/** Signed, and travels with every redriven message (lineage.ts). */
export const lineageHeaderName = "X-Redriver";

/** The id of the message that failed first. Of all redrives of one message it is the same (docs/receivers.md). */
export const rootIdHeaderName = "X-Redriver-Message-Id";

/** The `dlqId` of the dead letter that a message was copied from to a test target (`apply --to`). */
export const copyHeaderName = "X-Redriver-Copy";

const ownHeaders: ReadonlySet<string> = new Set(
  [lineageHeaderName, rootIdHeaderName, copyHeaderName].map((name) => name.toLowerCase()),
);

const nothing: readonly string[] = [];

const lowerOf = oncePerText(1_000, 256, (name) => name.toLowerCase());

/** All values of a header in any case; empty when it is absent. `name` is ASCII. */
export function valuesOf(header: HeaderValues, name: string): readonly string[] {
  let lower: string | null = null;
  let found = nothing;
  for (const listed in header) {
    // No name of another length is that one in lower case.
    if (listed.length !== name.length) continue;
    lower ??= lowerOf(name);
    if (lowerOf(listed) !== lower) continue;
    const values = header[listed] ?? nothing;
    found = found.length === 0 ? values : [...found, ...values];
  }
  return found;
}

/** Names that differ only in case are one header, under the first name. Headers without a value are left out. */
export function byLowerName(header: HeaderValues) {
  const merged = new Map<string, { readonly name: string; readonly values: readonly string[] }>();
  for (const [name, values] of Object.entries(header)) {
    if (values.length === 0) continue;
    const known = merged.get(name.toLowerCase()) ?? { name, values: nothing };
    merged.set(name.toLowerCase(), { name: known.name, values: [...known.values, ...values] });
  }
  return merged;
}

/** A token of RFC 9110 §5.6.2, the form of header names and methods. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** RFC 9110 §5.5: no control characters but tab. Bytes above 0x7f are allowed and travel as UTF-8. */
export function isFieldValue(text: string): boolean {
  return plain.test(text) || !/[^\P{Cc}\t\u{80}-\u{9f}]|\p{Cs}/u.test(text);
}

/** Fields of one value, not a list: RFC 9110 §5.3 forbids joining them, and joining cookies changes them. */
const singleValued = namesIn(`
  age authorization content-location content-range content-type cookie date etag expires from if-modified-since
  if-range if-unmodified-since last-modified location max-forwards origin range referer retry-after set-cookie
`);

/**
 * Set by the connection that delivers, or by the service itself. Names that a Connection header lists are not dropped:
 * the listing shows them as sent to the destination, and a record must not be able to drop its own Content-Type.
 */
const notForwarded = namesIn(`
  connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
  host content-length user-agent
`);

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Not of the connection, not the service's own (`headerPrefix`, any case), not one that only redriver writes. */
export function isForwardable(name: string, headerPrefix: string): boolean {
  const lower = name.toLowerCase();
  return !notForwarded.has(lower) && !lower.startsWith(headerPrefix.toLowerCase()) && !ownHeaders.has(lower);
}

export type ItemNames = ReturnType<typeof toItemNames>;

function toItemNames(prefix: string) {
  return {
    method: `${prefix}Method`,
    retries: `${prefix}Retries`,
    retryDelay: `${prefix}Retry-Delay`,
    timeout: `${prefix}Timeout`,
    callback: `${prefix}Callback`,
    failureCallback: `${prefix}Failure-Callback`,
    label: `${prefix}Label`,
    flowControlKey: `${prefix}Flow-Control-Key`,
    flowControlValue: `${prefix}Flow-Control-Value`,
    delay: `${prefix}Delay`,
    notBefore: `${prefix}Not-Before`,
    deduplicationId: `${prefix}Deduplication-Id`,
    lineage: `${prefix}Forward-${lineageHeaderName}`,
    rootId: `${prefix}Forward-${rootIdHeaderName}`,
    redactFields: `${prefix}Redact-Fields`,
    // A queue has some dozens of names.
    headerName: oncePerText(1_000, 256, (name): HeaderName => toHeaderName(name, prefix)),
    itemHeader: oncePerText(1_000, 256, (name) => ({
      isToken: isToken(name),
      toJson: toHeaderJson(name),
    })),
  };
}

/** A process has one prefix. */
let lastNames: { readonly prefix: string; readonly names: ItemNames } | null = null;

export function itemNamesOf(prefix: string): ItemNames {
  if (lastNames?.prefix !== prefix) lastNames = { prefix, names: toItemNames(prefix) };
  return lastNames.names;
}

/** A longer value is kept for no other letter. */
const maxKeptLength = 256;

/** Name and value as JSON. Most headers have the value that they had in the letter before. */
function toHeaderJson(name: string): (value: string) => string {
  const start = `${toJsonText(name)}:`;
  let last = "";
  let json = `${start}""`;
  return (value) => {
    if (value.length > maxKeptLength) return start + toJsonText(value);
    if (value !== last) {
      last = value;
      json = start + toJsonText(value);
    }
    return json;
  };
}

type HeaderName = ReturnType<typeof toHeaderName>;

function toHeaderName(name: string, headerPrefix: string) {
  const lower = name.toLowerCase();
  return {
    name,
    lower,
    itemName: `${headerPrefix}Forward-${name}`,
    isForwardable: isForwardable(name, headerPrefix),
    isSingleValued: singleValued.has(lower),
    isToken: isToken(name),
  };
}

/** By lower-case name. */
export type ForwardHeaders = Map<
  string,
  Pick<HeaderName, "name" | "itemName" | "isToken"> & { readonly value: string }
>;

/** The forwardable headers, one string each. Null if values cannot be joined or a name is empty. */
export function toForwardHeaders(header: HeaderValues, { headerName }: ItemNames): ForwardHeaders | null {
  const forward: ForwardHeaders = new Map();
  for (const listed in header) {
    const values = header[listed] ?? nothing;
    const { name, lower, itemName, isForwardable, isSingleValued, isToken } = headerName(listed);
    if (values.length === 0 || !isForwardable) continue;
    const known = forward.get(lower);
    const isJoinable = (known === undefined && values.length === 1) || !isSingleValued;
    if (!isJoinable || name === "") return null;
    const value = values.length === 1 ? values[0]! : values.join(", ");
    forward.set(
      lower,
      known === undefined
        ? { name, itemName, value, isToken }
        : { ...known, value: `${known.value}, ${value}` },
    );
  }
  return forward;
}

/** Sets or, with `null`, removes headers in any case. Names that may not be forwarded are skipped. */
export function changeHeaders(
  forward: ForwardHeaders,
  changes: Readonly<Record<string, string | null>>,
  { headerName }: ItemNames,
): void {
  for (const [changed, value] of Object.entries(changes)) {
    const { name, lower, itemName, isForwardable, isToken } = headerName(changed);
    if (name === "" || !isForwardable) continue;
    if (value === null) forward.delete(lower);
    else forward.set(lower, { name, itemName, value, isToken });
  }
}
