import { expect, it } from "vitest";
import { toDepth } from "../../../../src/people/read/depth.ts";

type Given = Parameters<typeof toDepth>;

function firstCount(pendingDelete: number, waiting: number) {
  const source = { summary: { pendingDelete }, census: null } as unknown as Given[0];
  const destinations = [{ waiting, parked: 0 }];
  const drain = { facts: { gone: {} }, destinations, stillCounting: true, selectsEverything: true };
  return toDepth(source, [drain as unknown as Given[1][number]], null);
}

it("what was just published and still stands as waiting is not in a lower bound twice", () => {
  expect(firstCount(30, 262)).toEqual({ count: 262, exact: false, stillCounting: true });
  expect(firstCount(200, 62)).toMatchObject({ count: 200 });
});
