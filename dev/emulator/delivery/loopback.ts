import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Whether a URL names this machine. It is read as the caller reads it, so `127.1`, `2130706433` and
 * `0x7f000001` are addresses and what stands before an `@` is not the host. Names are judged, never resolved:
 * only `localhost` counts.
 */
export function isLoopbackUrl(url: string): boolean {
  try {
    const { hostname } = new URL(url);
    return isLocalName(hostname) || isLocalAddress(hostname);
  } catch {
    return false;
  }
}

/** `localhost` and what ends in it, as in RFC 6761; a dot at the end makes no difference. */
const isLocalName = (hostname: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(hostname);

/** The unspecified addresses are where a system connects to itself. */
function isLocalAddress(hostname: string): boolean {
  return (
    hostname === "0.0.0.0" ||
    hostname === "[::]" ||
    hostname === "[::1]" ||
    hostname === "[::ffff:0:0]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname)
  );
}

/** Names of this machine lead to this machine, whatever a name server says; all others are looked up. */
export const lookup: LookupFunction = (hostname, options, answer) => {
  if (!isLocalName(hostname)) systemLookup(hostname, options, answer);
  else if (options.all === true) answer(null, localAddresses);
  else answer(null, "127.0.0.1", 4);
};

const localAddresses = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
