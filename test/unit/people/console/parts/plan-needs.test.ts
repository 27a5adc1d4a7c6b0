import { expect, it } from "vitest";
import { toPlanNeed } from "../../../../../src/people/console/screens/plan.tsx";
import type { LaneStanding } from "../../../../../src/people/read/lane-standings.ts";

const lane = { state: "halted", sinceMs: 60_000, why: null, sent: 0, nextInMs: 240_000, lastProbeAt: null };
const of = { drain: "crm", origin: "https://crm.example.com", publishes: 36 };
const toNeed = (more: object, prober: "redriver" | "apply", isNow = false) =>
  toPlanNeed({ ...of, lane: { ...lane, ...more } as unknown as LaneStanding, prober }, isNow);

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
  expect(toNeed({}, "apply", true).first).toMatchObject({ kind: "probe", prober: "apply" });
});
