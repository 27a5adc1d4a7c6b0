import { describe, expect, it } from "vitest";
import { createRangeMatcher, parseAddressRange } from "../../src/address-ranges.ts";

describe("a range of addresses", () => {
  it.each([
    ["10.0.0.0/8", { address: "10.0.0.0", bits: 8, family: "ipv4" }],
    ["10.1.2.3", { address: "10.1.2.3", bits: 32, family: "ipv4" }],
    ["fd00::/8", { address: "fd00::", bits: 8, family: "ipv6" }],
    ["::1", { address: "::1", bits: 128, family: "ipv6" }],
    ["0.0.0.0/0", { address: "0.0.0.0", bits: 0, family: "ipv4" }],
  ])("is %s", (text, range) => {
    expect(parseAddressRange(text)).toEqual(range);
  });

  it.each([
    "",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0/8",
    "fe80::1%eth0",
  ])("is not %j", (text) => {
    expect(parseAddressRange(text)).toBeNull();
  });

  it("has the addresses of its own family", () => {
    const isOurs = createRangeMatcher(["10.0.0.0/8", "192.0.2.7", "fd00::/8", "no range"]);
    for (const address of ["10.255.0.1", "192.0.2.7", "fd12::1"]) expect(isOurs(address), address).toBe(true);
    for (const address of [
      "11.0.0.1",
      "192.0.2.8",
      "fe80::1",
      "::ffff:10.0.0.1",
      "fd12::1%eth0",
      "",
      "ten",
    ]) {
      expect(isOurs(address), address).toBe(false);
    }
    expect(createRangeMatcher(["::/0"])("10.0.0.1")).toBe(false);
    expect(createRangeMatcher(["0.0.0.0/0"])("::ffff:10.0.0.1")).toBe(false);
  });
});
