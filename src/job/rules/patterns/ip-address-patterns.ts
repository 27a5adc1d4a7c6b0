import { isIPv4, isIPv6 } from "node:net";
import type { AddressPattern } from "../rule-spec.ts";
import { definePatterns, listOf, one } from "./define-patterns.ts";
import type { Parsed } from "../parsed.ts";

const expected =
  "an IP address (10.1.2.3, 2001:db8::1), a network (10.0.0.0/8), none, or one of { in, exists }";

export const addressPatterns = definePatterns<AddressPattern>({
  id: "addressPattern",
  description: "An IP address, a network (10.0.0.0/8), none (absent), { in | exists }, or a list (or).",
  examples: ["10.1.2.3", "10.0.0.0/8", "2001:db8::/32"],
  expected,
  parsePlain: parseNetwork,
  plain: [{ type: "string" }],
  forms: { in: listOf(parseNetwork, "a list of addresses and networks", { type: "string" }) },
});

function parseNetwork(value: unknown): Parsed<readonly AddressPattern[]> {
  if (typeof value !== "string" || value.length > 64) return { ok: false, expected };
  const [, address = "", length] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(value.trim()) ?? [];
  const parsed = parseIpAddress(address);
  if (parsed === null) return { ok: false, expected };
  const maxBits = parsed.family === "ipv4" ? 32 : 128;
  if (length === undefined) return one({ kind: "network", address: parsed.address, bits: maxBits });
  // An IPv4 network written as IPv6 counts its bits from the front of the IPv6 address.
  const ahead = address.includes(":") && parsed.family === "ipv4" ? 96 : 0;
  const bits = Number(length) - ahead;
  if (bits < 0 || bits > maxBits) {
    return {
      ok: false,
      expected: `a network with ${ahead} to ${ahead + maxBits} bits, such as 10.0.0.0/8`,
    };
  }
  return one({ kind: "network", address: parsed.address, bits });
}

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
