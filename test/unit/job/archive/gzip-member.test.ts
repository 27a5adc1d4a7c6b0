import { expect, it } from "vitest";
import { memberHeader, splitMembers, toMember } from "../../../../src/job/archive/gzip-member.ts";

async function* endless(): AsyncGenerator<Buffer> {
  yield await toMember("first");
  yield memberHeader;
  for (;;) yield Buffer.alloc(1_000, 1);
}

it("splitting a file into its members ends where a member is larger than it may be", async () => {
  const members = splitMembers(endless(), 10_000);
  expect((await members.next()).value).toEqual({ bytes: await toMember("first"), isLast: false });
  await expect(members.next()).rejects.toThrow(new RangeError("a member of more than 10000 bytes"));
});
