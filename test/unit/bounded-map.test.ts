import { expect, it } from "vitest";
import { BoundedMap, BoundedSet } from "../../src/bounded-map.ts";

it("forgets the older half of its entries when it is full", () => {
  const map = new BoundedMap<number, string>(4);
  const set = new BoundedSet<number>(4);
  for (const key of [1, 2, 3, 4, 1, 5]) {
    map.set(key, `value ${key}`);
    set.add(key);
  }
  expect([...map]).toEqual([
    [4, "value 4"],
    [1, "value 1"],
    [5, "value 5"],
  ]);
  expect([...set]).toEqual([4, 1, 5]);
});
