/** Addresses of console.proxies, which may say in headers who asks, and by which scheme. */
import { createRangeMatcher } from "../../../address-ranges.ts";

/** `ranges`: addresses, or such as 10.0.0.0/8. */
export function createProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const isProxy = createRangeMatcher(ranges);
  // As Node names an IPv4 peer of an IPv6 socket, and one of this link.
  return (address) => isProxy(address.replace(/^::ffff:/i, "").replace(/%.*$/, ""));
}
