import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { leavesCapacityUnused } from "../../../../src/job/page/capacity.ts";
import type { Candidate } from "../../../../src/job/page/records.ts";
import type { PublishResult } from "../../../../src/job/page/results.ts";
import type { HoldReason } from "../../../../src/job/rules/decision.ts";

describe("what led to no POST", () => {
  const letter = { dlqId: "r" as DlqId } as Candidate["letter"];
  const one = { letter } as Candidate;
  const hold = (reason: HoldReason): PublishResult => ({
    kind: "held",
    candidate: one,
    decision: { then: "hold", reason, rule: null },
  });
  const parked = (reason: "refused" | "too-large" | "vanished"): PublishResult => ({
    kind: "parked",
    candidate: one,
    decision: { then: "park", reason, rule: null },
  });

  it.each<[string, PublishResult, boolean]>([
    [
      "published",
      { kind: "published", candidate: one, deduplicated: false, isOfNow: true, isDeleteAudited: true },
      false,
    ],
    [
      "a hit",
      { kind: "published", candidate: one, deduplicated: true, isOfNow: false, isDeleteAudited: true },
      false,
    ],
    ["in doubt", { kind: "in-doubt", candidate: one }, false],
    ["done before", { kind: "done-before", candidate: one, isSettledElsewhere: true }, true],
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
  ])("%s", (_name, result, expected) => {
    expect(leavesCapacityUnused(result)).toBe(expected);
  });
});
