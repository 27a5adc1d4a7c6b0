import { expect, it } from "vitest";
import type { Fate } from "../../../../../src/job/page/fate.ts";
import { leavesCapacityUnused } from "../../../../../src/job/page/gates/rounds.ts";
import type { HoldReason } from "../../../../../src/job/rules/decision.ts";
import { dueLetter } from "../../../../support/letters.ts";

const hold = (reason: HoldReason): Fate => ({
  kind: "held",
  decision: { then: "hold", reason, rule: null },
});
const parked = (reason: "refused" | "too-large" | "vanished"): Fate => ({
  kind: "parked",
  decision: { then: "park", reason, rule: null },
});

it.each<[string, Fate | null, boolean]>([
  ["published", { kind: "published", deduplicated: false, isOfNow: true, isDeleteAudited: true }, false],
  ["a hit", { kind: "published", deduplicated: true, isOfNow: false, isDeleteAudited: true }, false],
  ["in doubt", { kind: "in-doubt" }, false],
  ["done before", { kind: "done-before", isSettledElsewhere: true }, true],
  ["waiting for its turn", null, true],
  ["in another's hands", hold("in-flight"), true],
  ["paused", hold("paused"), true],
  ["a settle gate", hold("settle-gate"), true],
  ["too old a page", hold("page-too-old"), true],
  ["not sent", hold("not-sent"), true],
  ["stopped", hold("stopping"), true],
  ["refused alone", hold("refused-alone"), false],
  ["a halted source", hold("source-halted"), false],
  ["parked before", parked("vanished"), true],
  ["refused for good", parked("refused"), false],
  ["too large", parked("too-large"), false],
])("capacity is left unused by what led to no POST: %s", (_name, fate, expected) => {
  const letter = dueLetter();
  letter.fate = fate;
  expect(leavesCapacityUnused(letter)).toBe(expected);
});
