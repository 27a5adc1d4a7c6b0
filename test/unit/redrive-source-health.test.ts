import { expect, test } from "vitest";
import type { RedriverEvent } from "../../src/ports/events.ts";
import type { SourceId } from "../../src/ports/ids.ts";
import { createSourceHealth } from "../../src/redrive/source-health.ts";
import { createManualClock } from "../support/manual-clock.ts";

function healthOf() {
  const told: string[] = [];
  const health = createSourceHealth(
    "eu" as SourceId,
    createManualClock(),
    {
      emit: (event: RedriverEvent) =>
        void told.push(event.type === "source:halted" ? `${event.callClass} ${event.code}` : event.type),
    },
    { leftMs: () => 0, mayRetry: () => true },
  );
  return { health, told };
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
