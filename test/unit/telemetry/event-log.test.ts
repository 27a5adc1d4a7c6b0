import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/job/contracts/errors.ts";
import type { RedriverEvent } from "../../../src/job/contracts/events.ts";
import type { DrainName, SourceId } from "../../../src/job/contracts/ids.ts";
import { createEventLog } from "../../../src/telemetry/event-log.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";

const drain = "orders" as DrainName;
const source = "eu" as SourceId;

function logAll(events: readonly RedriverEvent[]): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = createLogger({
    level: "debug",
    secrets: () => [],
    destination: { write: (line) => lines.push(line) },
  });
  const log = createEventLog(logger);
  for (const event of events) log.emit(event);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function log(event: RedriverEvent): Record<string, unknown> {
  const [line, ...others] = logAll([event]);
  expect(others).toEqual([]);
  return line!;
}

const told = (event: RedriverEvent): string => {
  const { level, msg } = log(event);
  return `${String(level)} ${String(msg)}`;
};

const failed = (code: ErrorCode): RedriverEvent => ({
  type: "job:failed",
  kind: "tick",
  code,
  message: "m",
  givenUp: false,
});

describe("an event's line", () => {
  test("of a decision says decision, rule and reason in its own words, and no header value of the rule", () => {
    const line = log({
      type: "record:decided",
      drain,
      source,
      mode: "live",
      records: [
        {
          dlqId: "1-0",
          decision: {
            then: "republish",
            reason: "due",
            rule: "gateway",
            set: { headers: { Authorization: "Bearer abc" } },
          },
          explain: () => 'republish: due (rule "gateway")',
        },
      ],
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

  test("of a Redis that is unfit says why, and the jobs that fail for it are at debug until it is fit", () => {
    const lines = logAll([
      failed("redis-unavailable"),
      { type: "redis:unfit", problems: ["it evicts", "it is full"] },
      failed("redis-unavailable"),
      failed("redis-unsuitable"),
      failed("service-unavailable"),
      { type: "redis:fit" },
      failed("redis-unavailable"),
    ]);
    expect(lines.map(({ level, event }) => `${String(level)} ${String(event)}`)).toEqual([
      "error job:failed",
      "warn redis:unfit",
      "debug job:failed",
      "debug job:failed",
      "warn job:failed",
      "info redis:fit",
      "error job:failed",
    ]);
    expect(lines[1]).toMatchObject({
      problems: ["it evicts", "it is full"],
      msg: "Redis is not fit, and nothing new is begun: it evicts; it is full",
    });
  });

  test("of an adopted document says what it replaces, and warns of what it warns of", () => {
    const adopted = { type: "document:adopted", hash: "b", before: "a", at: 1, warnings: [] } as const;
    const inForce = "drains document b in force";
    expect(told(adopted)).toBe(`info ${inForce}, before it a`);
    expect(told({ ...adopted, before: "b" })).toBe("info drains document means the same as before, b");
    expect(told({ ...adopted, before: null })).toBe(`info ${inForce}`);
    const warnings = ["drains.yaml:3:1 late"];
    expect(told({ ...adopted, warnings })).toBe(`warn ${inForce}, before it a\ndrains.yaml:3:1 late`);
  });

  test("of many records is a line each, and below the level no text is made", () => {
    const decision = { then: "hold", reason: "too-young", rule: null } as const;
    let made = 0;
    const explain = (): string => `made ${(made += 1)}`;
    const records = ["1-0", "2-0"].map((dlqId) => ({ dlqId, decision, explain }));
    const event = { type: "record:decided", drain, source, mode: "live", records } as const;
    expect(logAll([event]).map(({ dlqId, msg }) => [dlqId, msg])).toEqual([
      ["1-0", "made 1"],
      ["2-0", "made 2"],
    ]);
    const info = createLogger({ level: "info", secrets: () => [], destination: { write: () => undefined } });
    createEventLog(info).emit(event);
    expect(made).toBe(2);
  });
});
