import { expect, it } from "vitest";
import { Destinations } from "../../../../../src/people/console/parts/destinations.tsx";
import type { Status } from "../../../../../src/people/operations/status/read.ts";

const lane = { state: "halted", sinceMs: 60_000, why: null, sent: 0, nextInMs: 240_000, lastProbeAt: null };
const one = { origin: "https://pay.example.com", waiting: 9, parked: 0, failedAgain: 0, failingSince: null };
const more = { lane, pause: null, isPaused: false, isHeldByRules: false, heldByRules: 0, owners: [] };
const shown = async (mode: "plan" | "live", held = 0): Promise<string> => {
  const rules = { heldByRules: held, isHeldByRules: held === one.waiting };
  const destinations = [{ ...one, ...more, ...rules, ownersOfKinds: [] }];
  const drain = {
    drain: "pay",
    source: "eu",
    mode,
    paused: null,
    stillCounting: false,
    outlook: { waiting: 9 },
    destinations,
  };
  const status = { at: 0, drains: [drain], sources: [{ source: "eu", hostPauses: [], failures: [] }] };
  return String(await Destinations({ status: status as unknown as Status }));
};

it("names the next probe of a halt in a live drain alone, and of none whose letters rules hold", async () => {
  expect(await shown("live", 8)).toContain("next probe in 4m");
  expect(await shown("live", 9)).not.toContain("next probe");
  expect(await shown("plan")).not.toContain("next probe");
  // Held by rules, no plan sends them.
  lane.state = "open";
  expect(await shown("plan", 9)).toMatch(/1 held by rules.*which rules/s);
  expect(await shown("plan", 8)).toMatch(/1 only planned.*9 wait, 8 of them held by rules.*plan and apply/s);
});
