import { BlockList } from "node:net";

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

/** First `::`, `::1` and every address that carries an IPv4 address (RFC 2765, 6052, 3056, 4380). */
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
 * `host` is a URL's `hostname`: the parser has resolved `0x7f.1`, `2130706433` and `%6c`. A name that a
 * resolver turns into such an address is not recognised: the service resolves it, not this process. Total.
 */
export function isPrivateHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, "");
  if (name === "" || name === "localhost" || name.endsWith(".localhost")) return true;
  // An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is compared with the IPv4 networks.
  if (name.startsWith("[")) return privateAddresses.check(name.replaceAll(/[[\]]/g, ""), "ipv6");
  return /^\d+(\.\d+){3}$/.test(name) && privateAddresses.check(name, "ipv4");
}
