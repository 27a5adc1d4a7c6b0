import { expect, test } from "vitest";
import { placesOf } from "../../src/redrive/lanes/places.ts";

const entered = (...minutes: readonly number[]) =>
  minutes.map((minute) => ({ letter: { enteredAt: minute * 60_000 + 17 } }) as never);

test.each([
  [[], []],
  [[7], [7]],
  [[7, 7.5, 7.9], [7]],
  [
    [9, 3, 5],
    [3, 5],
  ],
  [
    [9, 8, 7, 6],
    [6, 8],
  ],
])("of entries in minutes %j the places are %j", (minutes, places) => {
  expect(placesOf(entered(...minutes))).toEqual(places.map((place) => place * 60_000));
});
