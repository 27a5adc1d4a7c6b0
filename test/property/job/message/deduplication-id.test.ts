import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDeduplicationId } from "../../../../src/job/message/message-ids.ts";
import { anyText } from "../../../support/fuzzing.ts";

describe("a deduplication id", () => {
  it("is the dead letter's id, and another one for every series", () => {
    expect(toDeduplicationId("1725323658779-0", 1)).toBe("redriver-1725323658779-0");
    expect(toDeduplicationId("a:b_c", 3)).toBe("redriver-a_u003ab_u005fc-3");
  });

  it.each([0, -1, 1.5, Number.NaN])("is not made for a suffix of %d", (suffix) => {
    expect(() => toDeduplicationId("1-2", suffix)).toThrow(RangeError);
  });

  it("has only characters that the service accepts", () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 1 }), (dlqId, suffix) => {
        expect(toDeduplicationId(dlqId, suffix)).toMatch(/^redriver-[A-Za-z0-9_-]*$/);
      }),
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
