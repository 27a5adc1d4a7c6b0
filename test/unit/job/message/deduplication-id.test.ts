import { describe, expect, it } from "vitest";
import { toDeduplicationId } from "../../../../src/job/message/message-ids.ts";

describe("a deduplication id", () => {
  it("is the dead letter's id in words the service accepts", () => {
    expect(toDeduplicationId("1725323658779-0", 1)).toBe("redriver-1725323658779-0");
    expect(toDeduplicationId("a:b_c", 1)).toBe("redriver-a_u003ab_u005fc");
  });

  it("is another one for every series", () => {
    expect(toDeduplicationId("1-2", 3)).toBe("redriver-1-2-3");
  });

  it.each([0, -1, 1.5, Number.NaN])("is not made for a suffix of %d", (suffix) => {
    expect(() => toDeduplicationId("1-2", suffix)).toThrow(RangeError);
  });
});
