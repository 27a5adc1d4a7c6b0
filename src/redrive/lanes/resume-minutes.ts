import type { Candidate } from "../page/records.ts";

/** What the pass book lists again is listed by minutes of entry. */
const minuteMs = 60_000;

/**
 * Where what a lane holds of these is met again: the minute of entry of the oldest, and that of the one in
 * the middle.
 */
export function resumeMinutesOf(candidates: readonly Pick<Candidate, "letter">[]): readonly number[] {
  const entered = candidates.map(({ letter }) => letter.enteredAt).toSorted((one, other) => one - other);
  const two = [entered[0], entered[Math.floor(entered.length / 2)]].filter((at) => at !== undefined);
  return [...new Set(two.map(toMinute))];
}

/** The same of what is held, where none of that lies in these: what lay there was granted. */
export function resumeMinutesBeside(
  told: readonly number[],
  held: readonly Pick<Candidate, "letter">[],
): readonly number[] {
  return held.some(({ letter }) => told.includes(toMinute(letter.enteredAt))) ? [] : resumeMinutesOf(held);
}

function toMinute(at: number): number {
  return Math.floor(at / minuteMs) * minuteMs;
}
