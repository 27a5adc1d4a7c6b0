import * as fc from "fast-check";
import { expect, it } from "vitest";
import { maxEscapedBytes, writeJsonText } from "../../../../src/job/message/json-text.ts";

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.constantFrom('"', "\\", "\u0000", "\u001f", "\u007f", "\n", "ä", "日", "😀", "\ud83d", "\ude00"),
);
const rarely = (long: string) =>
  fc.oneof({ weight: 40, arbitrary: fc.constant("") }, { weight: 1, arbitrary: fc.constant(long) });
/** Long ones are written by other means, and so is half of a character. */
const text = fc
  .tuple(fc.nat(130), fc.array(piece, { maxLength: 12 }), rarely("x".repeat(70_000)))
  .map(([plain, pieces, long]) => "a".repeat(plain) + pieces.join("") + long);

it("a text is written as JSON.stringify writes it, in the room that it is given", () => {
  fc.assert(
    fc.property(text, (text) => {
      const target = Buffer.alloc(4 + text.length * maxEscapedBytes + 2, "#");
      const end = writeJsonText(text, target, 4);
      expect(target.toString("utf8", 0, end)).toBe(`####${JSON.stringify(text)}`);
    }),
    { numRuns: 1_000 },
  );
});
