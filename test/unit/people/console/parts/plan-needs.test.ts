import { expect, it } from "vitest";
import { toPlanNeed } from "../../../../../src/people/console/screens/plan.tsx";
import { toTopicLossText } from "../../../../../src/people/operations/plans/decision-text.ts";
import type { LaneStanding } from "../../../../../src/people/read/lane-standings.ts";

const lane = { state: "halted", sinceMs: 60_000, why: null, sent: 0, nextInMs: 240_000, lastProbeAt: null };
const of = { drain: "crm", origin: "https://crm.example.com" };
const toNeed = (more: object, prober: "redriver" | "apply", isNow = false) =>
  toPlanNeed(
    { ...of, publishes: isNow ? null : 36, lane: { ...lane, ...more } as unknown as LaneStanding, prober },
    isNow,
  );

it("an apply sends the probe of a halted lane, so it is the first thing to do", () => {
  expect(toNeed({}, "apply")).toMatchObject({
    what: "crm.example.com is halted: an apply probes it first",
    detail:
      "36 of crm go there, halted for 1m. An apply sends one of them first, as a probe. If it is delivered, the apply sends the rest. The probe can go in 4m.",
    first: { kind: "apply" },
  });
  expect(toNeed({}, "redriver").detail).toMatch(/Redriver probes by itself too\.$/);
});

it("a probe that is later than an apply waits is made due first", () => {
  expect(toNeed({ nextInMs: 3_600_000 }, "apply").first).toMatchObject({ kind: "probe", prober: "apply" });
  // What is left is in its progress.
  const now = { first: { kind: "probe", prober: "apply" }, detail: "Halted for 1m" };
  expect(toNeed({}, "apply", true)).toMatchObject(now);
});

it("what loses its topic says so of a drain that asks for one, as what fails again is listed elsewhere", () => {
  const rules = [{ losses: [{ key: "group-membership", count: 228 }] }];
  expect(toTopicLossText({ drain: "crm", rules }, { topicName: ["crm"] })).toMatch(
    /^228 of crm lose their topic .*: what fails again is not listed by crm/,
  );
  expect(toTopicLossText({ drain: "crm", rules }, {})).toBe("");
});
