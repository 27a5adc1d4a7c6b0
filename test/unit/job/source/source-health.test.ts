import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { createSourceHealth } from "../../../../src/job/source/source-health.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

function healthOf() {
  const told: string[] = [];
  const clock = createManualClock();
  const health = createSourceHealth(
    "eu" as SourceId,
    clock,
    {
      emit: (event: RedriverEvent) =>
        void told.push(event.type === "source:halted" ? `${event.callClass} ${event.code}` : event.type),
    },
    { leftMs: () => 0, isFailing: () => false, takeRetry: () => true },
  );
  return { health, told, clock };
}

test("what halts publishing lets listing and deleting go on", () => {
  const { health, told } = healthOf();
  health.halt("service-refuses-everything", "10 in a row", "batch");
  expect(health.current("dlq")).toEqual({ state: "usable" });
  expect(() => health.check()).not.toThrow();
  expect(() => health.check("batch")).toThrow("10 in a row");
  health.resume("dlq");
  expect(health.current("batch")).toMatchObject({ state: "halted", callClass: "batch" });
  health.resume("batch");
  expect(health.current("batch")).toEqual({ state: "usable" });
  expect(told).toEqual(["batch service-refuses-everything", "source:resumed"]);
});

test("what halts listing or deleting halts publishing, and is told before what halts publishing alone", () => {
  const { health, told } = healthOf();
  health.halt("unauthorised", "403 to a batch", "batch");
  health.halt("answer-unreadable", "list");
  expect(health.current("batch")).toMatchObject({ callClass: "dlq", code: "answer-unreadable" });
  health.halt("unauthorised", "403 to a list");
  health.resume("dlq");
  expect(health.current("dlq")).toEqual({ state: "usable" });
  expect(health.current("batch")).toMatchObject({ callClass: "batch", code: "unauthorised" });
  health.resume();
  expect(health.current("batch")).toEqual({ state: "usable" });
  expect(told).toEqual([
    "batch unauthorised",
    "dlq answer-unreadable",
    "batch unauthorised",
    "source:resumed",
  ]);
});

test("two answers to deletes that have no shape at all are as good as lost, the third in a row halts", () => {
  const { health, told } = healthOf();
  const unreadable = new RedriverError("answer-unreadable", "html", { isForeign: true });
  health.noteDelete(unreadable);
  health.noteDelete(unreadable);
  health.deleted();
  health.noteDelete(unreadable);
  health.noteDelete(unreadable);
  expect(told).toEqual([]);
  health.noteDelete(unreadable);
  expect(told).toEqual(["dlq answer-unreadable"]);
});

test.each([
  new RedriverError("answer-unreadable", "expected at most 1 deleted, got 99"),
  new RedriverError("unauthorised", "401"),
])("a delete that ends so halts at once: %s", (error) => {
  const { health, told } = healthOf();
  health.noteDelete(error);
  expect(told).toEqual([`dlq ${error.code}`]);
});

function onTrial(code: "answer-unreadable" | "service-refuses-everything" = "answer-unreadable") {
  const stand = healthOf();
  stand.health.halt(code, "first", "batch");
  stand.health.tryPublishing();
  return stand;
}

describe("publishing on trial", () => {
  test("is told once, however often a trial fails; another reason is news", () => {
    const { health, told, clock } = onTrial();
    for (let failed = 1; failed <= 3; failed += 1) {
      clock.advance(1_000);
      health.halt("answer-unreadable", `trial ${failed}`, "batch");
      expect(health.current("batch")).toMatchObject({
        state: "halted",
        message: `trial ${failed}`,
        since: clock.monotonic(),
        onTrial: false,
        failedTrials: failed,
      });
      health.tryPublishing();
    }
    expect(told).toEqual(["batch answer-unreadable"]);
    health.halt("unauthorised", "403", "batch");
    expect(told).toEqual(["batch answer-unreadable", "batch unauthorised"]);
    health.tryPublishing("afresh");
    expect(health.standing()).toMatchObject({ onTrial: true, failedTrials: 0 });
  });

  test("is done by one batch at a time, and another may try where that one brought no answer", async () => {
    const { health } = onTrial();
    const under = new EventEmitter();
    const first = health.publishing(() => once(under, "answer"));
    expect(health.current("batch")).toMatchObject({ state: "halted", code: "answer-unreadable" });
    expect(health.current("dlq")).toEqual({ state: "usable" });
    under.emit("answer");
    await first;
    expect(health.current("batch")).toEqual({ state: "usable" });
    await expect(health.publishing(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(health.current("batch")).toEqual({ state: "usable" });
    expect(health.standing().state).toBe("halted");
  });

  test("goes on when a batch beside it ends", async () => {
    const { health } = onTrial("service-refuses-everything");
    const under = new EventEmitter();
    const first = health.publishing(() => once(under, "answer"));
    await health.publishing(() => Promise.resolve());
    expect(health.current("batch")).toMatchObject({ state: "halted" });
    under.emit("answer");
    await first;
    expect(health.current("batch")).toEqual({ state: "usable" });
  });

  test("is for a halt alone, and what is answered before it ends nothing", () => {
    const { health, told } = healthOf();
    health.tryPublishing();
    expect(health.standing()).toEqual({ state: "usable" });
    health.halt("answer-unreadable", "not JSON", "batch");
    health.batchAnswered("some-accepted");
    expect(health.current("batch").state).toBe("halted");
    expect(told).toEqual(["batch answer-unreadable"]);
  });
});
