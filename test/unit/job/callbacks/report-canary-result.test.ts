import { describe, expect, it } from "vitest";
import type { Lineage } from "../../../../src/job/message/lineage.ts";
import type { AttemptReport } from "../../../../src/job/contracts/callbacks.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import type { LaneComeBack, StepRef } from "../../../../src/job/contracts/lanes.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import { createLaneStand } from "../../../support/lane-stands.ts";
import { useRedis } from "../../../support/redis.ts";
import { receiveCallback } from "../../../../src/job/callbacks/report-canary-result.ts";
import { createLanes } from "../../../../src/job/lanes/lanes.ts";
import { dlqIdOf, enteredAt, messageIdOf, writeLineage } from "../../../support/letters.ts";

const redis = useRedis();
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

const receiveBy = (lanes: object, report: AttemptReport) =>
  receiveCallback(
    { config: {}, lanes, lineageKeys: () => [key] } as unknown as Parameters<typeof receiveCallback>[0],
    report,
  );

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
  const receive = (report: AttemptReport) => receiveBy(lanes, report);
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

  it("of the whole step moves its lane at once, and the drain is to go on", async () => {
    const { book, now } = createLaneStand(redis.fresh());
    const clock = { now, monotonic: () => 0 };
    const events: RedriverEvent[] = [];
    const lanes = createLanes({
      source: "eu" as SourceId,
      book,
      clock,
      events: { emit: (event) => void events.push(event) },
      audit: { record: () => Promise.resolve() },
      by: "daemon test",
      passes: { forceFull: () => Promise.resolve(), listAgain: () => Promise.resolve() },
    });
    const config = { canary: 2, watchMs: 60_000, haltAt: 0.2, probeEveryMs: 300_000, openFrom: 300 };
    const origin = "https://api.example.com";
    const ask = { lane: "3f1c2d8e", origin, wanted: 9, knownBad: 0, resumeMinutes: [0] };
    const { answers } = await lanes.ask("orders" as DrainName, config, [ask]);
    const { step } = answers[0]!;
    // The first is told before anybody has said that it was sent.
    for (const parent of ["1-0", "1-0", "2-0"]) {
      const of = { ...lineage, parentDlqId: dlqIdOf(parent), step: { ...canary, step } };
      expect(lanes.takeReady()).toEqual([]);
      const report = reportOf({}, of);
      await receiveBy(lanes, report);
    }
    expect(events).toMatchObject([{ type: "lane:moved", from: "canary", to: "ramping", size: 20 }]);
    expect(lanes.takeReady()).toEqual(["orders"]);
  });
});
