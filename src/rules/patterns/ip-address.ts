import { isIPv4, isIPv6 } from "node:net";

/** An address as text. IPv4 written as IPv6 (`::ffff:10.0.0.1`) is IPv4. */
export interface IpAddress {
  readonly family: "ipv4" | "ipv6";
  readonly address: string;
}

/** Null for a text that is no address. A zone (`%eth0`) is local to a machine and ignored. */
export function parseIpAddress(text: string): IpAddress | null {
  const address = text.trim().replace(/%.*$/, "").toLowerCase();
  if (isIPv4(address)) return { family: "ipv4", address };
  if (!isIPv6(address)) return null;
  // The parser of URLs spells each address in one way.
  const { hostname } = new URL(`http://[${address}]`);
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return { family: "ipv6", address };
  const numbers = [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((two) => [two >> 8, two & 255]);
  return { family: "ipv4", address: numbers.join(".") };
}
