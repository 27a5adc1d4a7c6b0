import type { Candidate } from "../page/records.ts";

/** Minutes that a lane resumes from: the entry of the oldest of these, and of the one in the middle. */
export function resumeMinutesOf(candidates: readonly Pick<Candidate, "letter">[]): readonly number[] {
  const entered = candidates.map(({ letter }) => letter.enteredAt).toSorted((one, other) => one - other);
  const two = [entered[0], entered[Math.floor(entered.length / 2)]].filter((at) => at !== undefined);
  return [...new Set(two.map(toMinute))];
}

/** The same of held candidates, if none of them is in these minutes: all of those were granted. */
export function resumeMinutesBeside(
  known: readonly number[],
  held: readonly Pick<Candidate, "letter">[],
): readonly number[] {
  return held.some(({ letter }) => known.includes(toMinute(letter.enteredAt))) ? [] : resumeMinutesOf(held);
}

/** The pass book lists again by minutes of entry. */
function toMinute(at: number): number {
  return Math.floor(at / 60_000) * 60_000;
}
