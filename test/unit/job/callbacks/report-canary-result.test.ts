import { describe, expect, it } from "vitest";
import type { Lineage } from "../../../../src/job/message/lineage.ts";
import type { AttemptReport } from "../../../../src/job/contracts/callbacks.ts";
import type { LaneComeBack, StepRef } from "../../../../src/job/contracts/lanes.ts";
import type { SourceRuntime } from "../../../../src/job/runtime.ts";
import { reportCanaryResult } from "../../../../src/job/callbacks/report-canary-result.ts";
import { dlqIdOf, enteredAt, messageIdOf, writeLineage } from "../../../support/letters.ts";

const key = "key";
const canary = { lane: "3f1c2d8e", step: 7, isCanary: true, isProbe: false };
const lineage: Lineage = {
  attempt: 1,
  rootId: messageIdOf("msg_root"),
  rootCreatedAt: enteredAt,
  rootMaxRetries: 3,
  rootDestination: "https://api.example.com/x",
  parentDlqId: dlqIdOf("1-0"),
  step: canary,
  isForgiven: false,
  statusBefore: 503,
};

const reportOf = (
  changes: Partial<AttemptReport> = {},
  of: Lineage = lineage,
  body = "body",
): AttemptReport => ({
  messageId: messageIdOf("msg_1"),
  status: 200,
  retried: 0,
  maxRetries: 0,
  sent: { header: { "X-Redriver": [writeLineage(of, body, key)] }, body, bodyBase64: "" },
  ...changes,
});

/** What the lanes are told. */
function createTold() {
  const told: (LaneComeBack | (StepRef & { readonly delivered: string }))[] = [];
  const lanes = {
    delivered: ({ lane, step }: StepRef, parent: string) => {
      told.push({ lane, step, delivered: parent });
      return Promise.resolve();
    },
    recordComeBacks: (comeBacks: readonly LaneComeBack[]) => {
      told.push(...comeBacks);
      return Promise.resolve();
    },
  };
  const source = { config: {}, lanes, lineageKeys: () => [key] } as unknown as SourceRuntime;
  const receive = (report: AttemptReport) => reportCanaryResult(source, report);
  return { told, receive };
}

describe("a callback", () => {
  it("of a delivery tells the step that its canary was part of", async () => {
    const { told, receive } = createTold();
    expect(await receive(reportOf({ status: 204 }))).toBe("delivered");
    expect(told).toEqual([{ lane: "3f1c2d8e", step: 7, delivered: "1-0" }]);
  });

  it.each([
    [503, "down"],
    [0, "down"],
    [422, "refused"],
    [301, "refused"],
  ])("of a failure with %d tells it as a come-back, %s", async (status, kind) => {
    const { told, receive } = createTold();
    expect(await receive(reportOf({ status }))).toBe("failed");
    expect(told).toEqual([{ lane: "3f1c2d8e", step: 7, parentDlqId: "1-0", kind, status }]);
  });

  it.each([
    ["an attempt that another follows", reportOf({ status: 503, maxRetries: 2 }), "retrying"],
    ["another body under the header", reportOf({ sent: { ...reportOf().sent, body: "other" } }), "unknown"],
    ["no lineage", reportOf({ sent: { header: {}, body: "body", bodyBase64: "" } }), "unknown"],
    ["a message in no step", reportOf({}, { ...lineage, step: null }), "unknown"],
    ["one sent plainly", reportOf({}, { ...lineage, step: { ...canary, isCanary: false } }), "unknown"],
  ])("of %s tells nothing", async (_, report, outcome) => {
    const { told, receive } = createTold();
    expect(await receive(report)).toBe(outcome);
    expect(told).toEqual([]);
  });
});
