import type { LaneWait } from "../../src/people/plan/lane-waits.ts";

/** A lane that is tried and can go on now. */
export const laneOf = (changes: Partial<LaneWait>): LaneWait => ({
  origin: "https://a.example.com",
  due: 812,
  kept: 0,
  state: "canary",
  sinceMs: 180_000,
  why: null,
  sent: 0,
  nextInMs: 0,
  lastProbeAt: null,
  ...changes,
});
