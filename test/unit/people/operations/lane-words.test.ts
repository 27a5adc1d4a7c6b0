import { expect, it } from "vitest";
import { toNext } from "../../../../src/people/cli/failures/show-text.ts";
import { toProber, toUnaidedText } from "../../../../src/people/operations/lane-words.ts";
import type { LaneStanding } from "../../../../src/people/read/lane-standings.ts";

const lane = { state: "halted", sent: 0, nextInMs: 240_000, lastProbeAt: null } as unknown as LaneStanding;

it("redriver probes by itself in a live drain, and an apply alone in one that only plans", () => {
  expect(toUnaidedText(lane, "redriver")).toMatch(/Redriver probes by itself in 4m.*follows by the rules/);
  expect(toUnaidedText(lane, "apply")).toBe(
    "Its owner can mend it. An apply probes in 4m. If a probe is delivered, the apply sends the rest.",
  );
});

it("what `failures show` names next in a drain that only plans goes with an apply, also a step", () => {
  expect(toNext({ ...lane, state: "ramping", sent: 2 }, "plan")).toBe("with an apply: the drain only plans");
  expect(toNext({ ...lane, sent: 1 }, "plan")).toMatch(/^a probe is out/);
  expect(toNext(lane, "live")).toBe("next probe in 4m");
});

it("whose mode is not known is taken for neither", () => {
  expect([toProber(undefined), toProber(null)]).toEqual(["unknown", "unknown"]);
  expect(toUnaidedText(lane, "unknown")).toContain("Redriver probes by itself in 4m, if its drain is live.");
  expect(toNext(lane, undefined)).toBe("next probe in 4m, if its drain is live");
  expect(toNext({ ...lane, sent: 1 }, undefined)).toMatch(/^a probe is out.*latest$/);
});
