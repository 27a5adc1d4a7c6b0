import { expect, test } from "vitest";
import { resumeMinutesBeside, resumeMinutesOf } from "../../../../src/redrive/lanes/admit.ts";

const entered = (...minutes: readonly number[]) =>
  minutes.map((minute) => ({ letter: { enteredAt: minute * 60_000 + 17 } }) as never);
const starts = (minutes: readonly number[]) => minutes.map((minute) => minute * 60_000);

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
])("of entries in minutes %j the resumeMinutes are %j", (minutes, resumeMinutes) => {
  expect(resumeMinutesOf(entered(...minutes))).toEqual(starts(resumeMinutes));
});

test.each([
  [[3, 8], [], []],
  [[3, 8], [4, 8.5], []],
  [
    [3, 8],
    [6, 4, 5],
    [4, 5],
  ],
])("where %j were told, of what is held in minutes %j are told %j", (told, held, resumeMinutes) => {
  expect(resumeMinutesBeside(starts(told), entered(...held))).toEqual(starts(resumeMinutes));
});
