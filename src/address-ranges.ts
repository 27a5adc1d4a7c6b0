/** Addresses, and ranges of them in CIDR form (`10.0.0.0/8`). Pure. */
import { BlockList, isIP } from "node:net";

/** An address alone is a range of one. Null for a text that is neither. */
export function parseAddressRange(text: string) {
  const [address = "", written, ...more] = text.split("/");
  const family = familyOf(address);
  if (family === null || more.length > 0 || !/^\d{1,3}$/.test(written ?? "0")) return null;
  const most = family === "ipv4" ? 32 : 128;
  const bits = Number(written ?? most);
  return bits > most ? null : { address, bits, family };
}

/** Whether an address is in one of these ranges. A text that is no address is in none, and one that is no range has none. */
export function createRangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  // A list of its own for each family: a list compares addresses of one with networks of the other.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, bits, family } of ranges.flatMap((text) => parseAddressRange(text) ?? [])) {
    lists[family].addSubnet(address, bits, family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && lists[family].check(address, family);
  };
}

/** An address with a zone (`fe80::1%eth0`) is of one machine, and no list takes it. */
function familyOf(address: string): "ipv4" | "ipv6" | null {
  const family = address.includes("%") ? 0 : isIP(address);
  return family === 0 ? null : family === 4 ? "ipv4" : "ipv6";
}
