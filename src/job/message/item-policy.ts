/**
 * Limits for every publish: the addresses, the size, the number of headers. No record or rule overrides them. A record
 * beyond them is parked and checked again whenever it is listed, because settings decide, not people.
 */
import type { BatchItem } from "./dead-letter.ts";
import { parseUrl, urlPartsOf } from "./destination-url.ts";
import { parseHost, slipInHost } from "./host-and-path.ts";
import { oncePerText } from "./once-per-text.ts";
import type { ParkReason } from "./park-reasons.ts";
import { isProofUrl } from "./proof-callback-url.ts";
import { isPrivateHost } from "./private-host.ts";

/** Sizes are bytes, of names and values as UTF-8. */
export interface ItemPolicy {
  /** A host in lower case as a URL spells it, `*.example.com` for every name below it, or `*`. Empty: any. */
  readonly allowHosts: readonly string[];
  readonly allowSchemes: readonly Scheme[];
  /** `auto`: if the source itself has a private host, or if `allowHosts` has their full name. */
  readonly allowPrivate: (typeof privatePolicies)[number];
  readonly maxMessageBytes: number;
  readonly maxHeaders: number;
  readonly maxHeaderBytes: number;
}

export const schemes = ["https", "http"] as const;
export type Scheme = (typeof schemes)[number];
export const privatePolicies = ["auto", "yes", "no"] as const;

export interface CheckItem {
  (item: BatchItem, bytes: number): Extract<ParkReason, "destination-not-allowed" | "over-limit"> | null;
  /** No item with more is ever allowed, so none need be built. */
  readonly maxHeaders?: number;
}

/** `sourceUrl` undefined: not known, so not private. `proofAddress`: our own for callbacks, never refused. */
export function createItemCheck(
  policy: ItemPolicy,
  headerPrefix: string,
  sourceUrl: string | undefined,
  proofAddress?: string,
): CheckItem {
  const allowsByPolicy = createUrlCheck(policy, sourceUrl);
  const allowsUrl = oncePerText(
    500,
    1_024,
    (url) => (proofAddress !== undefined && isProofUrl(url, proofAddress)) || allowsByPolicy(url),
  );
  const callback = `${headerPrefix}Callback`.toLowerCase();
  const failureCallback = `${headerPrefix}Failure-Callback`.toLowerCase();
  const isCallback = (name: string): boolean => {
    const lower = name.toLowerCase();
    return lower === callback || lower === failureCallback;
  };
  const check: CheckItem = ({ destination, headers }, bytes) => {
    if (!allowsUrl(destination)) return "destination-not-allowed";
    let count = 0;
    let characters = 0;
    for (const name in headers) {
      const value = headers[name] ?? "";
      // No name of another length is one of a callback.
      const mayBeCallback = name.length === callback.length || name.length === failureCallback.length;
      if (mayBeCallback && isCallback(name) && !allowsUrl(value)) return "destination-not-allowed";
      count += 1;
      characters += name.length + value.length;
    }
    const isWithin =
      bytes <= policy.maxMessageBytes &&
      count <= policy.maxHeaders &&
      // No character has more than three bytes, so ordinary headers need not be counted exactly.
      (characters * 3 <= policy.maxHeaderBytes || bytesOf(headers) <= policy.maxHeaderBytes);
    return isWithin ? null : "over-limit";
  };
  return Object.assign(check, { maxHeaders: policy.maxHeaders });
}

function bytesOf(headers: BatchItem["headers"]): number {
  let bytes = 0;
  for (const name in headers) bytes += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? "");
  return bytes;
}

function createUrlCheck(
  { allowHosts, allowSchemes, allowPrivate }: ItemPolicy,
  sourceUrl: string | undefined,
): (url: string) => boolean {
  const source = sourceUrl === undefined ? null : parseUrl(sourceUrl);
  const privateAllowed =
    allowPrivate === "yes" || (allowPrivate === "auto" && source !== null && isPrivateHost(source.hostname));
  const named = new Set(allowPrivate === "auto" ? allowHosts : []);
  const protocols = new Set(allowSchemes.map((scheme) => `${scheme}:`));
  const allowsHost = oncePerText(500, 255, (host) => {
    if (allowHosts.length > 0 && !allowHosts.some((pattern) => covers(pattern, host))) return false;
    return privateAllowed || !isPrivateHost(host) || named.has(host);
  });
  return (url) => {
    const parts = urlPartsOf(url);
    return parts !== null && protocols.has(parts.protocol) && allowsHost(parts.hostname);
  };
}

/** A host in the form of `allowHosts`, from a person's text; null if it is no host. A port is not allowed. */
export function parseHostPattern(text: string): string | null {
  if (text === "*") return text;
  const isBelow = text.startsWith("*.");
  const name = isBelow ? text.slice(2) : text;
  const host = slipInHost(name) === null ? parseHost(name) : null;
  if (host === null || host.port !== "") return null;
  return isBelow ? `*.${host.hostname}` : host.hostname;
}

function covers(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}
