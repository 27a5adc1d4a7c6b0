import { expect, it } from "vitest";
import { toUnaidedText } from "../../../../src/people/operations/lane-words.ts";
import type { LaneStanding } from "../../../../src/people/read/lane-standings.ts";

const lane = { state: "halted", sent: 0, nextInMs: 240_000, lastProbeAt: null } as unknown as LaneStanding;

it("redriver probes by itself in a live drain, and an apply alone in one that only plans", () => {
  expect(toUnaidedText(lane, "redriver")).toMatch(/Redriver probes by itself in 4m.*follows by the rules/);
  expect(toUnaidedText(lane, "apply")).toBe(
    "Its owner can mend it. An apply probes in 4m. If a probe is delivered, the apply sends the rest.",
  );
});
