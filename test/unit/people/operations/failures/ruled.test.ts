import { expect, it } from "vitest";
import type { FailureView } from "../../../../../src/people/read/failure-views.ts";
import { toRuledShares, whyNotRuled } from "../../../../../src/people/operations/failures/ruled.ts";

const of = (...drains: readonly object[]) => ({ drains }) as unknown as FailureView;

it("what rules say of a kind is said of each drain that has some of it, and of none that has none any more", () => {
  const one = { drain: "webhooks", waiting: 3, parked: 1, ruled: { "republish outage": 3, "park gone": 1 } };
  const parkedElsewhere = { drain: "money", waiting: 0, parked: 4, ruled: {} };
  expect(toRuledShares(of(parkedElsewhere))).toEqual([
    { drain: "money", then: "park", rule: null, share: 1 },
  ]);
  const gone = { drain: "money", waiting: 0, parked: 0, ruled: { "hold otherwise": 30 } };
  expect(toRuledShares(of(one, gone))).toEqual([
    { drain: "webhooks", then: "republish", rule: "outage", share: 0.75 },
    { drain: "webhooks", then: "park", rule: "gone", share: 0.25 },
  ]);
  expect(toRuledShares(of(gone))).toEqual([]);
  expect(whyNotRuled(gone)).toBe("nothing of it is left to decide");
});
