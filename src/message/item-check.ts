/**
 * Limits for every publish: the addresses, the size, the number of headers. No record or rule overrides them.
 * A record beyond them is parked and checked again whenever it is listed, because settings decide, not
 * people.
 */
import { BlockList } from "node:net";
import type { BatchItem } from "./dead-letter.ts";
import { parseUrl } from "./destination.ts";
import type { ParkReason } from "./park-reasons.ts";
import { isProofUrl } from "./proof-callback.ts";

/** Sizes are bytes, of names and values as UTF-8. */
export interface ItemPolicy {
  /** A host in lower case as a URL spells it, `*.example.com` for every name below it, or `*`. Empty: any. */
  readonly allowHosts: readonly string[];
  readonly allowSchemes: readonly Scheme[];
  /** `auto`: if the source itself has a private host, or if `allowHosts` has their full name. */
  readonly allowPrivate: (typeof privatePolicies)[number];
  /** Of the encoded item. */
  readonly maxMessageBytes: number;
  readonly maxHeaders: number;
  /** Of all headers of an item together. */
  readonly maxHeaderBytes: number;
}

export const schemes = ["https", "http"] as const;
export type Scheme = (typeof schemes)[number];
export const privatePolicies = ["auto", "yes", "no"] as const;

/** Why an item must not be published; null if it may. `bytes` is its encoded size. */
export type CheckItem = (
  item: BatchItem,
  bytes: number,
) => Extract<ParkReason, "destination-not-allowed" | "over-limit"> | null;

/**
 * `sourceUrl`: the address of the service that delivers; undefined: not known, so not private.
 * `proofAddress`: our own for callbacks, which the policy never refuses. The destination and both callbacks
 * are checked; a queue is no address. Pure and total.
 */
export function createItemCheck(
  policy: ItemPolicy,
  headerPrefix: string,
  sourceUrl: string | undefined,
  proofAddress?: string,
): CheckItem {
  const allowsByPolicy = createUrlCheck(policy, sourceUrl);
  const allowsUrl = (url: string): boolean =>
    (proofAddress !== undefined && isProofUrl(url, proofAddress)) || allowsByPolicy(url);
  const callbacks = new Set(
    ["Callback", "Failure-Callback"].map((name) => `${headerPrefix}${name}`.toLowerCase()),
  );
  return ({ destination, headers }, bytes) => {
    const entries = Object.entries(headers);
    const urls = entries.flatMap(([name, value]) => (callbacks.has(name.toLowerCase()) ? [value] : []));
    if (![destination, ...urls].every(allowsUrl)) return "destination-not-allowed";
    const isWithin =
      bytes <= policy.maxMessageBytes &&
      entries.length <= policy.maxHeaders &&
      entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0) <=
        policy.maxHeaderBytes;
    return isWithin ? null : "over-limit";
  };
}

function createUrlCheck(
  { allowHosts, allowSchemes, allowPrivate }: ItemPolicy,
  sourceUrl: string | undefined,
): (url: string) => boolean {
  const source = sourceUrl === undefined ? null : parseUrl(sourceUrl);
  const privateAllowed =
    allowPrivate === "yes" || (allowPrivate === "auto" && source !== null && isPrivateHost(source.hostname));
  const named = new Set(allowPrivate === "auto" ? allowHosts : []);
  return (url) => {
    const parsed = parseUrl(url);
    if (parsed === null || !allowSchemes.some((scheme) => parsed.protocol === `${scheme}:`)) return false;
    const host = toBareHost(parsed.hostname);
    if (allowHosts.length > 0 && !allowHosts.some((pattern) => covers(pattern, host))) return false;
    return privateAllowed || !isPrivateHost(host) || named.has(host);
  };
}

/** A host in the form of `allowHosts`, from a person's text; null if it is no host. A port is not allowed. */
export function parseHostPattern(text: string): string | null {
  if (text === "*") return text;
  const isBelow = text.startsWith("*.");
  const name = isBelow ? text.slice(2) : text;
  if (name === "" || /[\s/?#@\\*\p{Cc}\p{Cs}]/u.test(name)) return null;
  const isIpv6 = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(name);
  if (!isIpv6 && name.includes(":") && !/^\[.*\]$/.test(name)) return null;
  const parsed = parseUrl(`http://${isIpv6 ? `[${name}]` : name}/`);
  if (parsed === null) return null;
  const host = toBareHost(parsed.hostname);
  if (host === "") return null;
  return isBelow ? `*.${host}` : host;
}

function covers(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** `example.com.` and `example.com` are one host. */
function toBareHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.+$/, "");
}

/** A stranger's message must not reach these: this machine, its link, its site, and reserved ranges. */
const ipv4Networks: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  // RFC 6598: between a provider and its customers, and of several clouds' metadata services.
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // The metadata services of the clouds are here.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * The first contain `::`, `::1` and every address that carries an IPv4 address (RFC 2765, 6052, 3056, 4380).
 * Only a gateway knows their destinations.
 */
const ipv6Networks: readonly (readonly [network: string, bits: number])[] = [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 32],
  ["2002::", 16],
  ["2001::", 32],
  // RFC 6666: discards everything.
  ["100::", 64],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const privateAddresses = new BlockList();
for (const [network, bits] of ipv4Networks) privateAddresses.addSubnet(network, bits, "ipv4");
for (const [network, bits] of ipv6Networks) privateAddresses.addSubnet(network, bits, "ipv6");

/**
 * True for `localhost`, a name below it, or a literal loopback, link-local, private or otherwise not public
 * address. `host` is a URL's `hostname`: the parser has resolved `0x7f.1`, `2130706433` and `%6c`. A name
 * that a resolver turns into such an address is not recognised: the service resolves it, not this process.
 * Total.
 */
export function isPrivateHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, "");
  if (name === "" || name === "localhost" || name.endsWith(".localhost")) return true;
  // An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is compared with the IPv4 networks.
  if (name.startsWith("[")) return privateAddresses.check(name.replaceAll(/[[\]]/g, ""), "ipv6");
  return /^\d+(\.\d+){3}$/.test(name) && privateAddresses.check(name, "ipv4");
}
