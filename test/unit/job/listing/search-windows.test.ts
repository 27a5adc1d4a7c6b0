import { expect, it } from "vitest";
import { cutWindow, halve } from "../../../../src/job/listing/search-windows.ts";

it("a search goes on by the cursor where a page is in no order, and is halved when that does not end", () => {
  const wanted = [0, 10, 20, 900];
  expect(cutWindow({ from: 0, to: 900 }, wanted, [5, 800, 3, 600])).toBeNull();
  expect(halve(wanted)).toEqual([
    { from: 0, to: 20 },
    { from: 900, to: 900 },
  ]);
  expect(halve([7, 7])).toBeNull();
  expect(halve([])).toBeNull();
});
