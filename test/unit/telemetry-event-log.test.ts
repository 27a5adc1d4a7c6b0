import { describe, expect, test } from "vitest";
import { errorTable, type ErrorCode } from "../../src/ports/errors.ts";
import type { RedriverEvent, RequestOutcome } from "../../src/ports/events.ts";
import type { DrainName, PassId, SourceId } from "../../src/ports/ids.ts";
import { createEventLog } from "../../src/telemetry/event-log.ts";
import { createLogger } from "../../src/telemetry/logger.ts";

const drain = "orders" as DrainName;
const source = "eu" as SourceId;
const passId = "p1" as PassId;

function log(event: RedriverEvent): Record<string, unknown> {
  const lines: string[] = [];
  const logger = createLogger({
    level: "debug",
    secrets: () => [],
    destination: { write: (line) => lines.push(line) },
  });
  createEventLog(logger).emit(event);
  expect(lines.length).toBe(1);
  return JSON.parse(lines[0]!) as Record<string, unknown>;
}

describe("an event's line", () => {
  test("names the event and holds its fields", () => {
    expect(log({ type: "record:settled", drain, source, count: 3 })).toMatchObject({
      level: "info",
      event: "record:settled",
      drain: "orders",
      source: "eu",
      count: 3,
      msg: "settled 3",
    });
  });

  test("of a decision says decision, rule and reason in its own words, and no header value of the rule", () => {
    const line = log({
      type: "record:decided",
      drain,
      source,
      dlqId: "1-0",
      mode: "live",
      decision: {
        then: "republish",
        reason: "due",
        rule: "gateway",
        set: { headers: { Authorization: "Bearer abc" } },
      },
      explanation: 'republish: due (rule "gateway")',
    });
    expect(line).toMatchObject({
      level: "debug",
      decision: "republish",
      reason: "due",
      rule: "gateway",
      msg: 'republish: due (rule "gateway")',
    });
    expect(JSON.stringify(line)).not.toContain("Bearer");
  });

  test.each(Object.keys(errorTable) as ErrorCode[])("of a failure has the level of its code: %s", (code) => {
    const failed = { code, message: "because" } as const;
    const { level } = errorTable[code];
    expect(log({ type: "job:failed", kind: "tick", givenUp: true, ...failed })).toMatchObject({
      level,
      code,
    });
    expect(log({ type: "window:failed", drain, passId, ...failed }).level).toBe(level);
    expect(log({ type: "sweep:failed", source, ...failed }).level).toBe(level);
    expect(log({ type: "statistics:failed", index: "catalog", ...failed }).level).toBe(level);
    expect(log({ type: "source:halted", source, ...failed }).level).toBe(level);
  });

  test("of an unexpected failure is an error", () => {
    const event = {
      type: "job:failed",
      kind: "tick",
      givenUp: true,
      code: "unexpected",
      message: "x",
    } as const;
    expect(log(event).level).toBe("error");
  });

  test.each([
    ["ok", "debug"],
    ["timeout", "warn"],
    ["unauthorised", "error"],
  ] as [RequestOutcome, string][])("of a request that was %s is at %s", (outcome, level) => {
    const event = { type: "service:answered", source, operation: "list", outcome, durationMs: 5 } as const;
    expect(log(event).level).toBe(level);
  });

  test("of a pass that did not complete is a warning", () => {
    const counts = {
      listed: 1,
      due: 0,
      republished: 0,
      deduplicated: 0,
      deleted: 0,
      held: 0,
      parked: 0,
      inDoubt: 0,
      comeBacks: 0,
    };
    const closed = { type: "pass:closed", drain, passId, counts, durationMs: 5 } as const;
    expect(log({ ...closed, outcome: "complete" }).level).toBe("info");
    expect(log({ ...closed, outcome: "partial" }).level).toBe("warn");
    expect(log({ ...closed, outcome: "abandoned" }).level).toBe("warn");
  });
});
