import { describe, expect, it } from "vitest";
import { createTopCount } from "../../../../src/people/plan/top-count.ts";

describe("a top count", () => {
  it("loses nobody, and grows no further, when there are more kinds than it tells apart", () => {
    const count = createTopCount<number>(10);
    for (let key = 0; key < 1_000; key += 1) count.add(key);
    const { top, more } = count.top(20);
    expect(top).toHaveLength(10);
    expect(more).toEqual({ kinds: 1, count: 990 });
  });
});
