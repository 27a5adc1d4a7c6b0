import type { Letter } from "../page/letter.ts";

/** Minutes that a lane resumes from: the entry of the oldest of these, and of the one in the middle. */
export function resumeMinutesOf(letters: readonly Pick<Letter, "enteredAt">[]): readonly number[] {
  const entered = letters.map(({ enteredAt }) => enteredAt).toSorted((one, other) => one - other);
  const two = [entered[0], entered[Math.floor(entered.length / 2)]].filter((at) => at !== undefined);
  return [...new Set(two.map(toMinute))];
}

/** The same of held letters, if none of them is in these minutes: all of those were granted. */
export function resumeMinutesBeside(
  known: readonly number[],
  held: readonly Pick<Letter, "enteredAt">[],
): readonly number[] {
  return held.some(({ enteredAt }) => known.includes(toMinute(enteredAt))) ? [] : resumeMinutesOf(held);
}

function toMinute(at: number): number {
  return Math.floor(at / 60_000) * 60_000;
}
