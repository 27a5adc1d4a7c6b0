/** Addresses of console.proxies, which may say in headers who asks, and by which scheme. */
import { BlockList, isIP } from "node:net";

/** `ranges`: addresses, or such as 10.0.0.0/8. */
export function createProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const list = toBlockList(ranges);
  return (address) => {
    // As Node names an IPv4 peer of an IPv6 socket, and one of this link.
    const peer = address.replace(/^::ffff:/i, "").replace(/%.*$/, "");
    const family = isIP(peer);
    return family !== 0 && list.check(peer, family === 6 ? "ipv6" : "ipv4");
  };
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
