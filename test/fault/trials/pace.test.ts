import { expect, test } from "vitest";
import { longestStallMs } from "./pace.ts";

const whole = { from: 1_000, to: 10_000 };

test("a stall is the longest time without a move, from the beginning to the end", () => {
  expect(longestStallMs([2_000, 5_500, 6_000], whole, [])).toBe(4_000);
  expect(longestStallMs([6_000, 2_000, 5_500], whole, [])).toBe(4_000);
  expect(longestStallMs([], whole, [])).toBe(9_000);
});

test("moves outside of the time that is looked at count nothing", () => {
  expect(longestStallMs([500, 12_000], whole, [])).toBe(9_000);
});

test("what a stop from outside takes of a stall is not counted, and no other stall gets shorter by it", () => {
  expect(longestStallMs([3_000, 9_000], whole, [{ from: 4_000, to: 7_000 }])).toBe(3_000);
  expect(longestStallMs([3_000, 9_000], whole, [{ from: 0, to: 2_500 }])).toBe(6_000);
  expect(longestStallMs([3_000], whole, [{ from: 4_000, to: 20_000 }])).toBe(2_000);
});
