import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberHeader, splitMembers, toMember } from "../../../../src/job/archive/gzip-member.ts";

async function* endless(): AsyncGenerator<Buffer> {
  yield await toMember("first");
  yield memberHeader;
  for (;;) yield Buffer.alloc(1_000, 1);
}

describe("splitting a file into its members", () => {
  it("gives each member whole, wherever the chunks end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 60 }),
        async (texts, cuts) => {
          const members = await Promise.all(texts.map(toMember));
          const whole = Buffer.concat(members);
          const chunks = async function* (): AsyncGenerator<Buffer> {
            let at = 0;
            for (const cut of cuts) {
              yield whole.subarray(at, at + cut);
              at += cut;
            }
            yield whole.subarray(at);
          };
          const found = [];
          for await (const { bytes, isLast } of splitMembers(chunks(), 1_000_000))
            found.push({ bytes, isLast });
          expect(found.map(({ bytes }) => bytes.toString("hex"))).toEqual(
            members.map((member) => member.toString("hex")),
          );
          expect(found.map(({ isLast }) => isLast)).toEqual(texts.map((_, n) => n === texts.length - 1));
        },
      ),
    );
  });

  it("ends where a member is larger than it may be", async () => {
    const members = splitMembers(endless(), 10_000);
    expect((await members.next()).value).toEqual({ bytes: await toMember("first"), isLast: false });
    await expect(members.next()).rejects.toThrow(new RangeError("a member of more than 10000 bytes"));
  });
});
