import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/job/contracts/errors.ts";
import type { RedriverEvent, RequestOutcome } from "../../../src/job/contracts/events.ts";
import type { DrainName, PassId, SourceId } from "../../../src/job/contracts/ids.ts";
import { createEventLog } from "../../../src/telemetry/event-log.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";

const drain = "orders" as DrainName;
const source = "eu" as SourceId;
const passId = "p1" as PassId;

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
  test("names the event and holds its fields", () => {
    expect(log({ type: "record:settled", drain, source, count: 3 })).toMatchObject({
      level: "debug",
      event: "record:settled",
      drain: "orders",
      source: "eu",
      count: 3,
      msg: "settled 3",
    });
  });

  test("of a guard says whether it holds its drain, and by which number", () => {
    const guard = { drain, index: "catalog", field: "pending_index_count", why: "reading" } as const;
    expect(told({ type: "guard:closed", ...guard, value: 12_000 })).toBe(
      "warn guard of orders closed: index catalog: pending_index_count is 12000",
    );
    expect(told({ type: "guard:closed", ...guard, why: "stale", value: null })).toBe(
      "warn guard of orders closed: index catalog: no fresh reading of pending_index_count",
    );
    expect(told({ type: "guard:opened", ...guard, value: 0 })).toBe(
      "info guard of orders open: index catalog: pending_index_count is 0",
    );
  });

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

  test("of a record that was passed over names its date and the setting that changes it", () => {
    expect(log({ type: "record:passed-over", source, date: 1_700_000_000_123 })).toMatchObject({
      level: "warn",
      source: "eu",
      date: 1_700_000_000_123,
      msg: expect.stringMatching(
        /^a record of eu from 2023-11-14T22:13:20\.123Z \(1700000000123\) .*REDRIVER_SERVICE_MAX_ANSWER_BYTES/,
      ) as string,
    });
  });

  test.each([
    ["ok", "debug"],
    ["timeout", "warn"],
    ["unauthorised", "error"],
  ] as [RequestOutcome, string][])("of a request that was %s is at %s", (outcome, level) => {
    const event = { type: "service:answered", source, operation: "list", outcome, durationMs: 5 } as const;
    expect(log(event).level).toBe(level);
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

  test("of a rejected document names every problem, and the one that stays in force", () => {
    const problems = ["drains.yaml:7:12 drains.orders: one", "drains.yaml:9:3 drains.refunds: two"];
    expect(log({ type: "document:rejected", hash: "abc123", problems })).toMatchObject({
      level: "error",
      problems,
      msg: `drains document rejected, abc123 stays in force\n${problems.join("\n")}`,
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

  test("of a census is a warning where something expires soon without a copy", () => {
    const taken = { type: "census:taken", source, depth: 4, unselected: 1, durationMs: 5 } as const;
    const census = "census of eu: 4 in the queue, 1 of no drain";
    expect(told({ ...taken, expiringUnarchived: 0 })).toBe(`info ${census}, 0 near expiry without a copy`);
    expect(told({ ...taken, expiringUnarchived: 2 })).toBe(`warn ${census}, 2 near expiry without a copy`);
  });

  test("of a pass is a warning where it did not complete, and at info where it did something", () => {
    const nothing = { listed: 7, due: 0, republished: 0, deduplicated: 0, deleted: 0, held: 3, parked: 4 };
    const counts = { ...nothing, inDoubt: 0, comeBacks: 0 };
    const closed = {
      type: "pass:closed",
      drain,
      passId,
      durationMs: 5,
      outcome: "complete",
      counts,
    } as const;
    expect(log(closed).level).toBe("debug");
    expect(told({ ...closed, counts: { ...counts, republished: 5 } })).toBe(
      "info pass of orders closed: complete, 7 listed, 5 republished, 0 deleted; left 0 due, 3 held, 4 parked, 0 in doubt",
    );
    expect(told({ ...closed, counts: { ...counts, comeBacks: 2 } })).toMatch(/^warn .*, 2 came back$/);
    expect(log({ ...closed, outcome: "partial" }).level).toBe("warn");
    expect(log({ ...closed, outcome: "abandoned" }).level).toBe("warn");
  });

  test("of a lane warns where it halts, and says at info that it has resumed", () => {
    const move = { type: "lane:moved", source, drain, origin: "https://a.example", sent: 5 } as const;
    const halt = { ...move, from: "open", to: "halted", size: 0, why: "3 of 5 failed again, 503" } as const;
    const lane = "lane https://a.example of orders";
    expect(told({ ...halt, comeBacks: 3 })).toBe(`warn ${lane}: halted: 3 of 5 failed again, 503`);
    const resumption = { ...move, from: "halted", to: "canary", size: 5, comeBacks: 0 } as const;
    expect(told({ ...resumption, why: "the probe did not fail again" })).toBe(
      `info ${lane}: resumed, canary, next 5: the probe did not fail again`,
    );
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
