/** Where one lane of the in-memory reference has met what it holds. */
import { maxResumeMinutes, probeMinutes } from "../../../src/store/lanes/lane-numbers.ts";
import type { Lane } from "./memory-lane.ts";

/** Of too many the oldest and the youngest are kept. */
export function remember(lane: Lane, resumeMinutes: readonly number[]): void {
  const all = [...new Set([...lane.resumeMinutes, ...resumeMinutes])].toSorted((a, b) => a - b);
  const half = maxResumeMinutes / 2;
  lane.hasHeld = true;
  lane.resumeMinutes = all.length <= maxResumeMinutes ? all : [...all.slice(0, half), ...all.slice(-half)];
}

/** Hands out as many places as the next grant needs. They are told again by what is denied of them. */
export function takeResumeMinutes(lane: Lane, now: number): readonly number[] {
  const { resumeMinutes } = lane;
  const isProbe = lane.state === "halted";
  const taken =
    isProbe && resumeMinutes.length > probeMinutes
      ? [resumeMinutes[0]!, resumeMinutes.at(-1)!]
      : resumeMinutes;
  lane.resumeMinutes = resumeMinutes.filter((place) => !taken.includes(place));
  if (taken.length > 0) lane.step.calledAt = now;
  return taken;
}

/** Whether only a full pass finds what may go on after a move. */
export function takeWantsFull(lane: Lane, taken: readonly number[]): boolean {
  const { state, hasHeld } = lane;
  const wantsFull = state === "open" || (state !== "halted" && hasHeld && taken.length === 0);
  if (wantsFull) lane.hasHeld = false;
  return wantsFull;
}
