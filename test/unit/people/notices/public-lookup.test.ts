import type { lookup as systemLookup, LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { expect, it } from "vitest";
import { createPublicLookup, PrivateAddress } from "../../../../src/people/notices/post.ts";
import { words } from "../../../support/words.ts";

function ask(addresses: readonly LookupAddress[], all: boolean): Promise<unknown> {
  const resolve = ((_host: string, _options: object, answer: (...result: unknown[]) => void) => {
    answer(null, addresses);
  }) as unknown as typeof systemLookup;
  const lookup: LookupFunction = createPublicLookup(resolve);
  return new Promise((done) => {
    lookup("hooks.example.com", { all }, (error, ...found) => done(error ?? found));
  });
}

const open: LookupAddress = { address: "93.184.216.34", family: 4 };

it.each(
  words(`
    127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 ::1 fd00::1 fe80::1%eth0
    ::ffff:10.0.0.1
  `),
)("a name that leads to %s is refused, also beside a public address", async (address) => {
  const other: LookupAddress = { address, family: address.includes(":") ? 6 : 4 };
  expect(await ask([other], false)).toBeInstanceOf(PrivateAddress);
  expect(await ask([open, other], true)).toBeInstanceOf(PrivateAddress);
});

it("a public name is answered in both ways", async () => {
  const six: LookupAddress = { address: "2606:2800:220:1:248:1893:25c8:1946", family: 6 };
  expect(await ask([open, six], true)).toEqual([[open, six]]);
  expect(await ask([open, six], false)).toEqual(["93.184.216.34", 4]);
});
