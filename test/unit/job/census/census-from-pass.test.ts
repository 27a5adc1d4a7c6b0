import { describe, expect, test } from "vitest";
import type { Pass } from "../../../../src/job/contracts/passes.ts";
import { emptyTally, type Tally } from "../../../../src/job/contracts/tally.ts";
import { toPassCensus } from "../../../../src/job/census/census-from-pass.ts";
import { createDrainSelects } from "../../../../src/job/listing/drain-selects.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { enteredAt, rawRecord } from "../../../support/letters.ts";

const hourMs = 3_600_000;
const retentionMs = 72 * hourMs;
const now = enteredAt + hourMs;

const at = (moment: number) => ({ kind: "at", at: moment }) as const;
const ago = (ms: number) => ({ kind: "ago", ms }) as const;

describe("a drain selects", () => {
  const createdAt = enteredAt - 2 * hourMs;
  const record = rawRecord({ createdAt, topicName: "orders" });

  test.each([
    ["what its filters list", {}, "entered", true],
    ["nothing that entered before its lower end", { from: at(enteredAt + 1) }, "entered", false],
    ["what entered at its lower end", { from: at(enteredAt) }, "entered", true],
    ["what was created later than a lower end that means creation", { from: at(createdAt) }, "created", true],
    ["nothing that was created before it", { from: at(createdAt + 1) }, "created", false],
    ["what is younger than its lower end that moves", { from: ago(hourMs) }, "entered", true],
    ["nothing that is older than its lower end that moves", { from: ago(hourMs - 1) }, "entered", false],
    ["nothing later than its upper end", { to: at(enteredAt - 1) }, "entered", false],
    ["what is at its upper end", { to: at(enteredAt) }, "entered", true],
    ["what its upper end that moves will reach", { to: ago(5 * hourMs) }, "entered", true],
    ["by entry while it is not known what dates mean", { from: at(enteredAt) }, null, true],
  ] as const)("%s", (_, dates, meaning, expected) => {
    const selects = createDrainSelects({ select: { topicName: ["orders"] }, dates }, meaning);
    expect(selects(record, now)).toBe(expected);
    expect(selects(rawRecord({ topicName: "refunds" }), now)).toBe(false);
  });

  test("what has no date, whatever its dates are", () => {
    const selects = createDrainSelects({ select: {}, dates: { from: at(enteredAt) } }, "entered");
    expect(selects({ dlqId: "no-date", createdAt: "today" }, now)).toBe(true);
  });
});

describe("a full pass", () => {
  const pass = {
    kind: "full",
    mode: "live",
    documentHash: "abc123",
    countingKey: "as-1",
    startedAt: now - 1_000,
  } as Pass;
  const tally: Tally = { ...emptyTally, listed: 50, deleted: 8, oldestRecordAt: enteredAt };

  /** Of the runtime, only what a pass's census looks at. */
  function drainWith(config: Partial<DrainRuntime["config"]> = {}, nearMs = 12 * hourMs): DrainRuntime {
    const beforeExpiry = { withinMs: 12 * hourMs, then: "archive" };
    return {
      config: { select: {}, beforeExpiry, ...config },
      documentHash: "abc123",
      nearMs,
      hasOthers: false,
      source: {
        config: { retentionMs, censusEveryMs: hourMs },
        clock: { now: () => now },
        service: { clockOffsetMs: () => 0 },
      },
    } as unknown as DrainRuntime;
  }

  test("that listed everything is a census: nothing has to be listed for one", () => {
    expect(toPassCensus(drainWith(), pass, tally)).toEqual({
      at: now - 1_000,
      counted: "pass",
      depth: 42,
      unselected: 0,
      oldestUnselectedAt: null,
      strayComeBacks: { count: 0, top: [] },
      oldestEnteredAt: enteredAt,
      earliestExpiryAt: enteredAt + retentionMs,
      expiringUnarchived: 0,
      expiringAccepted: 0,
      documentHash: "abc123",
      countingKey: "as-1",
    });
    const emptied = toPassCensus(drainWith(), pass, { ...tally, oldestRecordAt: null });
    expect(emptied).toMatchObject({ oldestEnteredAt: null, earliestExpiryAt: null });
  });

  test("is none beside a drain that counts its records as near so much sooner", () => {
    const oldestRecordAt = now - retentionMs + 20 * hourMs;
    expect(toPassCensus(drainWith({}, 18 * hourMs), pass, { ...tally, oldestRecordAt })).not.toBeNull();
    expect(toPassCensus(drainWith({}, 20 * hourMs), pass, { ...tally, oldestRecordAt })).toBeNull();
  });

  test.each<[string, Partial<DrainRuntime["config"]>, Partial<Pass>, Partial<Tally>]>([
    ["with a selection", { select: { topicName: ["orders"] } }, {}, {}],
    ["with dates", { dates: { from: { kind: "at", at: 1 } } }, {}, {}],
    ["in plan mode", {}, { mode: "plan" }, {}],
    ["over what is new", {}, { kind: "new" }, {}],
    ["that deleted what lay before one of its cursors", {}, {}, { pagesBehindDeletes: 1 }],
    [
      "that saw what is near its expiry within the next interval",
      {},
      {},
      { oldestRecordAt: now - retentionMs + 13 * hourMs - 1 },
    ],
    ["that saw one of unknown age", {}, {}, { reasons: { due: {}, held: {}, parked: { "no-dlq-id": 1 } } }],
  ])("%s is none", (_, config, ofPass, ofTally) => {
    expect(toPassCensus(drainWith(config), { ...pass, ...ofPass }, { ...tally, ...ofTally })).toBeNull();
  });
});
