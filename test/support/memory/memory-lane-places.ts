/** Where one lane of the in-memory reference has met what it holds. */
import { mostPlaces, probePlaces } from "../../../src/store/lanes/lane-numbers.ts";
import type { Lane } from "./memory-lane.ts";

/** Of too many the oldest and the youngest are kept. */
export function remember(lane: Lane, places: readonly number[]): void {
  const all = [...new Set([...lane.places, ...places])].toSorted((a, b) => a - b);
  const half = mostPlaces / 2;
  lane.hasHeld = true;
  lane.places = all.length <= mostPlaces ? all : [...all.slice(0, half), ...all.slice(-half)];
}

/** Hands out as many places as the next grant needs. They are told again by what is denied of them. */
export function takePlaces(lane: Lane, now: number): readonly number[] {
  const { places } = lane;
  const isProbe = lane.state === "halted";
  const taken = isProbe && places.length > probePlaces ? [places[0]!, places.at(-1)!] : places;
  lane.places = places.filter((place) => !taken.includes(place));
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
