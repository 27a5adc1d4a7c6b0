import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { createSamples } from "../../../../src/people/plan/rule-report.ts";

const draw = (order: readonly DlqId[]): readonly DlqId[] => {
  const samples = createSamples<DlqId>();
  for (const dlqId of order) samples.offer(dlqId, () => dlqId);
  return samples.all();
};

describe("samples", () => {
  it("are the same ones whatever the order, a few, and not all from one end", () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `${1_000 + index}-0` as DlqId);
    const drawn = draw(ids);
    expect(drawn).toHaveLength(3);
    expect(draw(ids.toReversed())).toEqual(drawn);
    const positions = drawn.map((dlqId) => ids.indexOf(dlqId));
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    expect(Math.max(...positions) - Math.min(...positions)).toBeGreaterThan(300);
  });
});
