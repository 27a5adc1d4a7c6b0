import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createItemCheck } from "../../../../src/job/message/item-policy.ts";
import { builtInPolicy } from "../../../support/item-checks.ts";
import { casesOf } from "../../../support/fuzzing.ts";

const check = createItemCheck(builtInPolicy, "Upstash-", "https://qstash.upstash.io");
const verdict = (destination: string) => check({ destination, headers: {} }, 100);

/** Written down apart from the code: first and last address of what is not public. */
const privateRanges: readonly (readonly [from: number, to: number])[] = [
  [0x00_00_00_00, 0x00_ff_ff_ff],
  [0x0a_00_00_00, 0x0a_ff_ff_ff],
  [0x64_40_00_00, 0x64_7f_ff_ff],
  [0x7f_00_00_00, 0x7f_ff_ff_ff],
  [0xa9_fe_00_00, 0xa9_fe_ff_ff],
  [0xac_10_00_00, 0xac_1f_ff_ff],
  [0xc0_00_00_00, 0xc0_00_00_ff],
  [0xc0_a8_00_00, 0xc0_a8_ff_ff],
  [0xc6_12_00_00, 0xc6_13_ff_ff],
  [0xe0_00_00_00, 0xff_ff_ff_ff],
];
const isPrivate = (address: number) => privateRanges.some(([from, to]) => address >= from && address <= to);

const addresses = fc.oneof(
  fc.integer({ min: 0, max: 0xff_ff_ff_ff }),
  fc
    .constantFrom(...privateRanges)
    .chain(([from, to]) =>
      fc.oneof(fc.integer({ min: from, max: to }), fc.constantFrom(Math.max(0, from - 1), from, to, to + 1)),
    )
    .map((address) => Math.min(address, 0xff_ff_ff_ff)),
);

const bytesOf = (address: number) => [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
const inBase = fc.constantFrom(
  (part: number) => String(part),
  (part: number) => `0x${part.toString(16)}`,
  (part: number) => `0${part.toString(8)}`,
  (part: number) => `0X0${part.toString(16).toUpperCase()}`,
);
/** The last number of a short form stands for all the bytes that are left. */
const spellings = fc
  .tuple(addresses, fc.integer({ min: 1, max: 4 }), fc.array(inBase, { minLength: 4, maxLength: 4 }))
  .map(([address, parts, bases]) => {
    const bytes = bytesOf(address);
    const rest = bytes.slice(parts - 1).reduce((value, byte) => value * 256 + byte, 0);
    const numbers = [...bytes.slice(0, parts - 1), rest];
    return { address, host: numbers.map((number, index) => bases[index]?.(number)).join(".") };
  });
const disguises = fc.constantFrom(
  (host: string) => host,
  (host: string) => `${host}.`,
  (host: string) => host.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  (host: string) => host.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
);

describe("the check of destinations", () => {
  it("knows a private IPv4 address in every notation that is one, and no public one for private", () => {
    fc.assert(
      fc.property(
        spellings,
        disguises,
        fc.constantFrom("", ":80", ":65535"),
        ({ address, host }, disguise, port) => {
          const expected = isPrivate(address) ? "destination-not-allowed" : null;
          expect(verdict(`http://${disguise(host)}${port}/x?y#z`)).toBe(expected);
        },
      ),
      { numRuns: casesOf(2_000) },
    );
  });

  it("answers for any text, and lets pass nothing that is no http(s) address", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      fc.string().map((rest) => `http://${rest}`),
    );
    fc.assert(
      fc.property(text, text, (destination, callback) => {
        const result = check({ destination, headers: { "Upstash-Callback": callback } }, 100);
        expect(["destination-not-allowed", null]).toContain(result);
        if (result !== null) return;
        for (const url of [destination, callback]) expect(new URL(url).protocol).toMatch(/^https?:$/);
      }),
    );
  });
});
