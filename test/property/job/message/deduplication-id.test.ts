import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDeduplicationId } from "../../../../src/job/message/message-ids.ts";

interface Input {
  readonly dlqId: string;
  readonly suffix: number;
}

/** Short numbers, so that collisions would be found. */
const streamIds = fc.tuple(fc.nat(30), fc.nat(30)).map(([ms, sequence]) => `${ms}-${sequence}`);
const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(":", "_u003a", "ä", "😀", "\ud800"));
const inputs: fc.Arbitrary<Input> = fc.record({
  dlqId: streamIds,
  suffix: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 70_000 })),
});
const idOf = ({ dlqId, suffix }: Input) => toDeduplicationId(dlqId, suffix);

describe("a deduplication id", () => {
  it("has only characters that the service accepts", () => {
    fc.assert(
      fc.property(inputs, fc.option(anyText, { nil: undefined }), (input, dlqId = input.dlqId) => {
        expect(idOf({ ...input, dlqId })).toMatch(/^redriver-[A-Za-z0-9_-]*$/);
      }),
    );
  });

  it("is shared by no two inputs", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(inputs, { selector: (input) => JSON.stringify(input), minLength: 2 }),
        (many) => {
          const ids = many.map(idOf);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is shared by no two stream ids and suffixes, all small ones tried", () => {
    const ids: string[] = [];
    for (let ms = 0; ms < 25; ms++) {
      for (let sequence = 0; sequence < 25; sequence++) {
        for (let suffix = 1; suffix < 25; suffix++) ids.push(toDeduplicationId(`${ms}-${sequence}`, suffix));
      }
    }
    expect(new Set(ids).size).toBe(ids.length);
  });
});
