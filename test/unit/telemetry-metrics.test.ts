import { EventEmitter, once } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RedriverEvent } from "../../src/ports/events.ts";
import type { DrainName, SourceId } from "../../src/ports/ids.ts";
import type { LedgerSummary } from "../../src/ports/ledger.ts";
import type { Census, DrainFacts } from "../../src/ports/passes.ts";
import type { QueueFacts } from "../../src/ports/queue-facts.ts";
import type { IndexGauge } from "../../src/ports/statistics.ts";
import {
  dropReasons,
  holdReasons,
  parkReasons,
  republishReasons,
  settleReasons,
} from "../../src/rules/decision.ts";
import { createMetrics, type Metrics } from "../../src/telemetry/metrics.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";

const eu = "eu" as SourceId;
const orders = "orders" as DrainName;
const refunds = "refunds" as DrainName;
const reasons = {
  republish: republishReasons,
  drop: dropReasons,
  hold: holdReasons,
  park: parkReasons,
  settle: settleReasons,
};
const document = {
  hash: "abc123",
  sources: [{ id: "eu" }],
  drains: [{ name: "orders", source: { id: "eu" } }],
  indexes: [{ name: "catalog" }],
};

const drainFacts: DrainFacts = {
  due: 3,
  held: 4,
  parked: 5,
  inDoubt: 1,
  exact: true,
  reasons: { due: {}, held: {}, parked: {} },
  oldestRecordAt: 1_700_000_000_000,
  lastSuccessAt: 1_700_000_100_500,
  lastFullAt: null,
  openPass: null,
  lastOutcome: "complete",
};
const summary: LedgerSummary = {
  epoch: "e",
  sequence: 1,
  at: 1_700_000_200_000,
  open: 3,
  unknown: 2,
  oldestOpenAt: null,
  pendingDelete: 7,
  oldestPendingAt: 1_700_000_150_000,
  failedDeletes: 6,
  parked: null,
  settleGate: "closed",
};
const census: Census = {
  at: 1_700_000_190_000,
  counted: "listing",
  depth: 40,
  unselected: 9,
  oldestUnselectedAt: 1_700_000_020_000,
  oldestEnteredAt: 1_700_000_000_000,
  earliestExpiryAt: 1_700_259_200_000,
  expiringUnarchived: 2,
  expiringAccepted: 3,
  documentHash: "abc123",
};
const facts: QueueFacts = {
  documentHash: "abc123",
  drains: [
    {
      drain: orders,
      source: eu,
      acting: true,
      guards: [
        { index: "catalog", effect: "closed" },
        { index: "catalog", effect: "open" },
        { index: "users", effect: "open" },
      ],
      facts: drainFacts,
      retentionMs: 259_200_000,
    },
  ],
  sources: [{ source: eu, summary, censusEveryMs: 900_000, census }],
};

let clock: ManualClock = createManualClock();
afterEach(() => {
  clock = createManualClock();
});

function create(
  readFacts: () => Promise<QueueFacts | null> = async () => facts,
  indexGauges: () => Promise<readonly IndexGauge[]> = async () => [],
): Metrics {
  const metrics = createMetrics({ version: "1.2.3", reasons, readFacts, indexGauges, clock });
  metrics.adopt(document);
  return metrics;
}

/** Samples as `name{labels}` → value, in the text's own spelling. */
async function samples(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.render()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

function named(all: ReadonlyMap<string, number>, name: string): Record<string, number> {
  return Object.fromEntries([...all].filter(([key]) => key === name || key.startsWith(`${name}{`)));
}

/** What orders, refunds and none show when the drains saw so many in doubt and the ledger counts `unknown`. */
async function inDoubt(saw: number, alsoSaw: number, unknown: number): Promise<(number | undefined)[]> {
  const all = await samples(
    create(async () => ({
      ...facts,
      drains: [
        { ...facts.drains[0]!, facts: { ...drainFacts, inDoubt: saw } },
        { ...facts.drains[0]!, drain: refunds, facts: { ...drainFacts, inDoubt: alsoSaw } },
      ],
      sources: [{ source: eu, summary: { ...summary, unknown }, censusEveryMs: 900_000, census: null }],
    })),
  );
  return ["orders", "refunds", "none"].map((drain) =>
    all.get(`redriver_records{source="eu",drain="${drain}",state="in_doubt"}`),
  );
}

describe("before anything has happened", () => {
  test("every counter of a closed set stands at 0", async () => {
    const all = await samples(create());
    const decisions = Object.entries(reasons).flatMap(([decision, list]) =>
      list.map((reason) => `{drain="orders",decision="${decision}",reason="${reason}"}`),
    );
    const requests = ["list", "batch", "delete"].map((operation) => `{source="eu",operation="${operation}"`);
    const keys = [
      ...decisions.map((labels) => `redriver_decisions_total${labels}`),
      ...requests.map((labels) => `redriver_service_requests_total${labels},outcome="rate-limited"}`),
      ...requests.map((labels) => `redriver_service_request_duration_seconds_count${labels}}`),
      'redriver_settled_total{source="eu",drain="orders"}',
      'redriver_settled_total{source="eu",drain="none"}',
      'redriver_come_backs_total{source="eu",drain="orders"}',
      'redriver_unknown_outcomes_total{source="eu",drain="orders"}',
      'redriver_declared_doubles_total{drain="orders",why="released-past-window"}',
      'redriver_found_doubles_total{drain="orders"}',
      'redriver_passes_total{drain="orders",outcome="abandoned"}',
      'redriver_published_total{drain="orders",deduplicated="true"}',
      'redriver_ledger_lost_writes_total{source="eu"}',
      'redriver_source_halted{source="eu"}',
      'redriver_job_failures_total{kind="sweep",given_up="true"}',
    ];
    expect(Object.fromEntries(keys.map((key) => [key, all.get(key)]))).toEqual(
      Object.fromEntries(keys.map((key) => [key, 0])),
    );
  });

  test("a document adopted later keeps the counts and says its own hash alone", async () => {
    const metrics = create();
    metrics.events.emit({ type: "record:settled", drain: orders, source: eu, count: 2 });
    metrics.adopt({ ...document, hash: "def456" });
    const all = await samples(metrics);
    expect(named(all, "redriver_config_info")).toEqual({ 'redriver_config_info{hash="def456"}': 1 });
    expect(all.get('redriver_settled_total{source="eu",drain="orders"}')).toBe(2);
  });

  test("version and process are told", async () => {
    const all = await samples(create());
    expect(all.get(`redriver_build_info{version="1.2.3",node="${process.version}"}`)).toBe(1);
    expect(all.has("process_resident_memory_bytes")).toBe(true);
  });
});

describe("events are counted", () => {
  const base = { drain: orders, source: eu } as const;
  test.each<[RedriverEvent, string, number]>([
    [
      {
        ...base,
        type: "record:decided",
        dlqId: "1-0",
        mode: "live",
        decision: { then: "hold", reason: "too-young", rule: null },
        explanation: "",
      },
      'redriver_decisions_total{drain="orders",decision="hold",reason="too-young"}',
      1,
    ],
    [
      {
        ...base,
        type: "record:published",
        dlqId: "1-0",
        messageId: "m",
        deduplicated: true,
        attempt: 1,
      },
      'redriver_published_total{drain="orders",deduplicated="true"}',
      1,
    ],
    [
      { ...base, type: "record:settled", count: 40 },
      'redriver_settled_total{source="eu",drain="orders"}',
      40,
    ],
    [
      { ...base, type: "record:settled", drain: null, count: 4 },
      'redriver_settled_total{source="eu",drain="none"}',
      4,
    ],
    [
      { ...base, type: "outcome:unknown", dlqIds: ["1-0", "2-0"], why: "timeout" },
      'redriver_unknown_outcomes_total{source="eu",drain="orders"}',
      2,
    ],
    [
      { ...base, type: "record:come-back", dlqId: "2-0", parentDlqId: "1-0", attempt: 1 },
      'redriver_come_backs_total{source="eu",drain="orders"}',
      1,
    ],
    [
      { ...base, type: "double:declared", dlqId: "1-0", why: "hit-after-refusals" },
      'redriver_declared_doubles_total{drain="orders",why="hit-after-refusals"}',
      1,
    ],
    [
      { type: "service:answered", source: eu, operation: "batch", outcome: "timeout", durationMs: 1_500 },
      'redriver_service_requests_total{source="eu",operation="batch",outcome="timeout"}',
      1,
    ],
    [
      { type: "service:answered", source: eu, operation: "batch", outcome: "ok", durationMs: 1_500 },
      'redriver_service_request_duration_seconds_sum{source="eu",operation="batch"}',
      1.5,
    ],
    [
      { type: "source:halted", source: eu, code: "unauthorised", message: "401" },
      'redriver_source_halted{source="eu"}',
      1,
    ],
    [
      { type: "ledger:lost-writes", source: eu, expected: "a", got: "b" },
      'redriver_ledger_lost_writes_total{source="eu"}',
      1,
    ],
    [
      {
        type: "census:taken",
        source: eu,
        depth: 1,
        unselected: 0,
        expiringUnarchived: 0,
        durationMs: 1,
      },
      'redriver_censuses_total{source="eu",outcome="ok"}',
      1,
    ],
    [
      { type: "census:failed", source: eu, code: "rate-limited", message: "429" },
      'redriver_censuses_total{source="eu",outcome="failed"}',
      1,
    ],
    [
      { type: "job:failed", kind: "tick", code: "unexpected", message: "", givenUp: true },
      'redriver_job_failures_total{kind="tick",given_up="true"}',
      1,
    ],
  ])("%o", async (event, key, value) => {
    const metrics = create();
    metrics.events.emit(event);
    expect((await samples(metrics)).get(key)).toBe(value);
  });

  test("a halted source that is resumed is at 0 again", async () => {
    const metrics = create();
    metrics.events.emit({ type: "source:halted", source: eu, code: "unauthorised", message: "401" });
    metrics.events.emit({ type: "source:resumed", source: eu });
    expect((await samples(metrics)).get('redriver_source_halted{source="eu"}')).toBe(0);
  });

  test("a halted source that the next document lacks is no longer told of", async () => {
    const metrics = create();
    metrics.events.emit({ type: "source:halted", source: eu, code: "unauthorised", message: "401" });
    metrics.adopt({ ...document, sources: [{ id: "us" }], drains: [] });
    expect(named(await samples(metrics), "redriver_source_halted")).toEqual({
      'redriver_source_halted{source="us"}': 0,
    });
  });

  test("a rejected document is told until the file holds one that is adopted", async () => {
    const metrics = create();
    const key = "redriver_config_last_reload_successful";
    expect((await samples(metrics)).get(key)).toBe(1);
    metrics.events.emit({ type: "document:rejected", hash: "abc123", problems: ["x"] });
    expect((await samples(metrics)).get(key)).toBe(0);
    metrics.events.emit({ type: "document:adopted", hash: "b", before: "a", at: 5_000, warnings: [] });
    const all = await samples(metrics);
    expect(all.get(key)).toBe(1);
    expect(all.get("redriver_config_last_reload_success_timestamp_seconds")).toBe(5);
  });

  test("a number that cannot be counted stops nobody", () => {
    const metrics = create();
    expect(() =>
      metrics.events.emit({ type: "record:settled", drain: orders, source: eu, count: Number.NaN }),
    ).not.toThrow();
  });
});

describe("facts about the queue", () => {
  test("are read at the scrape", async () => {
    const all = await samples(create());
    expect(named(all, "redriver_records")).toEqual({
      'redriver_records{source="eu",drain="orders",state="due"}': 3,
      'redriver_records{source="eu",drain="orders",state="held"}': 4,
      'redriver_records{source="eu",drain="orders",state="parked"}': 5,
      'redriver_records{source="eu",drain="orders",state="in_doubt"}': 2,
      'redriver_records{source="eu",drain="none",state="held"}': 9,
    });
    const values: Record<string, number> = {
      redriver_redis_up: 1,
      'redriver_records_exact{source="eu",drain="orders"}': 1,
      'redriver_oldest_record_timestamp_seconds{source="eu",drain="orders"}': 1_700_000_000,
      'redriver_earliest_expiry_timestamp_seconds{source="eu",drain="orders"}': 1_700_259_200,
      'redriver_pass_last_success_timestamp_seconds{drain="orders"}': 1_700_000_100.5,
      'redriver_drain_acting{drain="orders"}': 1,
      'redriver_pending_deletes{source="eu"}': 7,
      'redriver_oldest_pending_delete_timestamp_seconds{source="eu"}': 1_700_000_150,
      'redriver_failed_deletes{source="eu"}': 6,
      'redriver_settle_gate_closed{source="eu"}': 1,
      'redriver_guard_closed{drain="orders",index="catalog"}': 1,
      'redriver_guard_closed{drain="orders",index="users"}': 0,
      'redriver_records_exact{source="eu",drain="none"}': 1,
      'redriver_oldest_record_timestamp_seconds{source="eu",drain="none"}': 1_700_000_020,
      'redriver_earliest_expiry_timestamp_seconds{source="eu",drain="none"}': 1_700_259_220,
      'redriver_source_depth{source="eu"}': 40,
      'redriver_source_oldest_record_timestamp_seconds{source="eu"}': 1_700_000_000,
      'redriver_source_earliest_expiry_timestamp_seconds{source="eu"}': 1_700_259_200,
      'redriver_source_expiring_unarchived_records{source="eu"}': 2,
      'redriver_source_census_timestamp_seconds{source="eu"}': 1_700_000_190,
      'redriver_source_census_interval_seconds{source="eu"}': 900,
      'redriver_source_expiring_accepted_records{source="eu"}': 3,
    };
    expect(Object.fromEntries(all)).toMatchObject(values);
  });

  const queueGauges = [
    "redriver_records",
    "redriver_records_exact",
    "redriver_oldest_record_timestamp_seconds",
    "redriver_earliest_expiry_timestamp_seconds",
    "redriver_pass_last_success_timestamp_seconds",
    "redriver_drain_acting",
    "redriver_pending_deletes",
    "redriver_oldest_pending_delete_timestamp_seconds",
    "redriver_failed_deletes",
    "redriver_settle_gate_closed",
    "redriver_guard_closed",
    "redriver_source_depth",
    "redriver_source_expiring_unarchived_records",
    "redriver_source_census_timestamp_seconds",
    "redriver_source_census_interval_seconds",
    "redriver_source_expiring_accepted_records",
  ];
  test.each<[string, () => Promise<QueueFacts | null>]>([
    ["are not there", async () => null],
    ["cannot be read", () => Promise.reject(new Error("Redis is away"))],
  ])("are absent, not 0, when they %s, also after they were there", async (_name, unreadable) => {
    let readable = true;
    const metrics = create(() => (readable ? Promise.resolve(facts) : unreadable()));
    const before = await samples(metrics);
    expect(queueGauges.filter((name) => Object.keys(named(before, name)).length === 0)).toEqual([]);
    clock.advance(1_000);
    readable = false;
    const all = await samples(metrics);
    expect(all.get("redriver_redis_up")).toBe(0);
    expect(Object.assign({}, ...queueGauges.map((name) => named(all, name)))).toEqual({});
  });

  test("are given two seconds", async () => {
    const metrics = create(() => new Promise(() => undefined));
    const rendering = samples(metrics);
    await vi.waitFor(() => expect(clock.pending()).toBe(1));
    clock.advance(2_000);
    expect((await rendering).get("redriver_redis_up")).toBe(0);
  });

  test("are read once for scrapes within a second, and one read at a time", async () => {
    let reads = 0;
    const gate = new EventEmitter();
    const metrics = create(async () => {
      reads++;
      await once(gate, "open");
      return facts;
    });
    const both = Promise.all([metrics.render(), metrics.render()]);
    gate.emit("open");
    await both;
    clock.advance(999);
    await metrics.render();
    expect(reads).toBe(1);
    clock.advance(1);
    const third = metrics.render();
    gate.emit("open");
    await third;
    expect(reads).toBe(2);
  });

  test("of a drain without a pass, or with an empty DLQ, leave out what is not known", async () => {
    const metrics = create(async () => ({
      ...facts,
      drains: [
        { drain: orders, source: eu, acting: false, guards: [], facts: null, retentionMs: 1 },
        {
          drain: refunds,
          source: eu,
          acting: true,
          guards: [],
          facts: { ...drainFacts, oldestRecordAt: null, lastSuccessAt: null },
          retentionMs: 1,
        },
      ],
      sources: [
        {
          source: eu,
          summary: { ...summary, oldestPendingAt: null, settleGate: "open" as const },
          censusEveryMs: 900_000,
          census: null,
        },
      ],
    }));
    const all = await samples(metrics);
    expect(named(all, "redriver_drain_acting")).toEqual({
      'redriver_drain_acting{drain="orders"}': 0,
      'redriver_drain_acting{drain="refunds"}': 1,
    });
    expect(all.has('redriver_records{source="eu",drain="orders",state="due"}')).toBe(false);
    expect(named(all, "redriver_oldest_record_timestamp_seconds")).toEqual({});
    expect(named(all, "redriver_earliest_expiry_timestamp_seconds")).toEqual({});
    expect(named(all, "redriver_pass_last_success_timestamp_seconds")).toEqual({});
    expect(named(all, "redriver_oldest_pending_delete_timestamp_seconds")).toEqual({});
    expect(named(all, "redriver_settle_gate_closed")).toEqual({
      'redriver_settle_gate_closed{source="eu"}': 0,
    });
  });

  test("of no drain are inexact where another document was counted by, and have no age where there are none", async () => {
    const other = { ...census, documentHash: "def456", unselected: 0, oldestUnselectedAt: null };
    const all = await samples(
      create(async () => ({
        ...facts,
        sources: [{ source: eu, summary, censusEveryMs: 900_000, census: other }],
      })),
    );
    expect(all.get('redriver_records_exact{source="eu",drain="none"}')).toBe(0);
    expect(all.get('redriver_records{source="eu",drain="none",state="held"}')).toBe(0);
    expect(all.has('redriver_oldest_record_timestamp_seconds{source="eu",drain="none"}')).toBe(false);
    expect(all.has('redriver_earliest_expiry_timestamp_seconds{source="eu",drain="none"}')).toBe(false);
  });

  test("in doubt add up to the ledger's count, whatever the drains saw", async () => {
    expect(await inDoubt(1, 2, 3)).toEqual([1, 2, 0]);
    expect(await inDoubt(1, 2, 5)).toEqual([1, 2, 2]);
    expect(await inDoubt(4, 2, 5)).toEqual([4, 1, 0]);
    expect(await inDoubt(4, 2, 0)).toEqual([0, 0, 0]);
  });
});

test("statistics of search indexes are shown as they are handed in, and go when they do", async () => {
  const name = "redriver_index_current_vectors";
  let gauges: readonly IndexGauge[] = [
    { name, help: "Current number of vectors.", index: "catalog", value: 12 },
    { name, help: "Current number of vectors.", index: "users", value: 3 },
  ];
  const metrics = create(undefined, async () => gauges);
  expect(named(await samples(metrics), name)).toEqual({
    [`${name}{index="catalog"}`]: 12,
    [`${name}{index="users"}`]: 3,
  });
  gauges = gauges.slice(0, 1);
  clock.advance(1_000);
  expect(named(await samples(metrics), name)).toEqual({ [`${name}{index="catalog"}`]: 12 });
});

test("statistics that cannot be read take their series away and nothing else", async () => {
  const name = "redriver_index_current_vectors";
  const gauge = { name, help: "Current number of vectors.", index: "catalog", value: 12 };
  let readable = true;
  const metrics = create(undefined, async () => {
    if (!readable) throw new Error("Redis is away");
    return [gauge];
  });
  expect(named(await samples(metrics), name)).toEqual({ [`${name}{index="catalog"}`]: 12 });
  clock.advance(1_000);
  readable = false;
  const all = await samples(metrics);
  expect(named(all, name)).toEqual({});
  expect(all.get("redriver_redis_up")).toBe(1);
});
