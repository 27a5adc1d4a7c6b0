import { describe, expect, test } from "vitest";
import type { QueueFacts } from "../../../src/job/contracts/queue-facts.ts";
import type { IndexGauge } from "../../../src/job/contracts/index-statistics.ts";
import {
  census,
  drainFacts,
  eu,
  facts,
  named,
  orders,
  refunds,
  samples,
  summary,
  useMetrics,
} from "../../support/metrics.ts";
import { waitFor } from "../../support/wait-for.ts";

const { clock, create } = useMetrics();

/**
 * What orders, refunds and none show when the drains saw so many in doubt and the ledger counts `unknown`.
 */
async function inDoubt(saw: number, alsoSaw: number, unknown: number): Promise<(number | undefined)[]> {
  const all = await samples(
    create(async () => ({
      ...facts,
      drains: [
        { ...facts.drains[0]!, facts: { ...drainFacts, inDoubt: saw } },
        { ...facts.drains[0]!, drain: refunds, facts: { ...drainFacts, inDoubt: alsoSaw } },
      ],
      sources: [bareSource({ summary: { ...summary, unknown } })],
    })),
  );
  return ["orders", "refunds", "none"].map((drain) =>
    all.get(`redriver_records{source="eu",drain="${drain}",state="in_doubt"}`),
  );
}

/** A source of which nothing was counted yet. */
const bareSource = (more: Partial<QueueFacts["sources"][number]>): QueueFacts["sources"][number] => ({
  source: eu,
  summary,
  censusEveryMs: 900_000,
  census: null,
  depth: null,
  expiring: { count: null, atLeast: 0, by: 0, asOf: null, groups: [] },
  shared: null,
  failures: [],
  lanes: null,
  ...more,
});

const bareDrain = { ...facts.drains[0]!, guards: [], retentionMs: 1, destinations: [] };

const toSeries = (all: Map<string, number>) => [...all.keys()].filter((key) => key.startsWith("redriver_"));

describe("facts about the queue", () => {
  test("are read at the scrape, and shown as they are however often they are read", async () => {
    const metrics = create();
    expect(await metrics.render()).toContain("# TYPE redriver_lane_canaries_total counter");
    clock().advance(1_000);
    const all = await samples(metrics);
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
      'redriver_lanes{source="eu",state="halted"}': 1,
      'redriver_lanes{source="eu",state="canary"}': 0,
      'redriver_lanes{source="eu",state="open"}': 3,
      'redriver_lane{source="eu",drain="orders",origin="https://b.example",state="halted"}': 1,
      'redriver_lane_canaries_total{source="eu",drain="orders",origin="https://a.example"}': 105,
      'redriver_lane_come_backs_total{source="eu",drain="orders",origin="https://a.example"}': 3,
      'redriver_lane_come_backs_total{source="eu",drain="orders",origin="https://b.example"}': 0,
      'redriver_lane_halts_total{source="eu",drain="orders",origin="https://a.example"}': 1,
      'redriver_source_lane_canaries_total{source="eu"}': 250,
      'redriver_source_lane_come_backs_total{source="eu"}': 7,
      'redriver_source_lane_halts_total{source="eu"}': 4,
      'redriver_records_exact{source="eu",drain="none"}': 1,
      'redriver_oldest_record_timestamp_seconds{source="eu",drain="none"}': 1_700_000_020,
      'redriver_earliest_expiry_timestamp_seconds{source="eu",drain="none"}': 1_700_259_220,
      'redriver_source_depth{source="eu"}': 9,
      'redriver_source_depth_exact{source="eu"}': 1,
      'redriver_arrivals_total{source="eu",drain="orders"}': 12,
      'redriver_unmatched_records{source="eu",drain="orders"}': 0,
      'redriver_destination_waiting{source="eu",drain="orders",origin="https://a.example"}': 6,
      'redriver_destination_parked{source="eu",drain="orders",origin="https://a.example"}': 1,
      'redriver_destination_waiting{source="eu",drain="",origin="other"}': 0,
      'redriver_destination_published_total{source="eu",drain="orders",origin="https://a.example"}': 3,
      'redriver_destination_failed_again_total{source="eu",drain="orders",origin="https://a.example"}': 2,
      'redriver_rule_published_total{drain="orders",rule="outage"}': 8,
      'redriver_rule_failed_again_total{drain="orders",rule="outage"}': 2,
      'redriver_failure_waiting{source="eu",failure="4c1d0a9e21"}': 6,
      'redriver_failure_arrivals_total{source="eu",failure="4c1d0a9e21"}': 11,
      'redriver_failure_first_met_timestamp_seconds{source="eu",failure="4c1d0a9e21",origin="https://a.example",status="503",answer="upstream is down"}': 1_700_000_050,
      'redriver_source_oldest_record_timestamp_seconds{source="eu"}': 1_700_000_000,
      'redriver_source_earliest_expiry_timestamp_seconds{source="eu"}': 1_700_259_200,
      'redriver_source_expiring_records{source="eu"}': 4,
      'redriver_source_expiring_unarchived_records{source="eu"}': 2,
      'redriver_source_census_timestamp_seconds{source="eu"}': 1_700_000_190,
      'redriver_source_census_interval_seconds{source="eu"}': 900,
      'redriver_source_expiring_accepted_records{source="eu"}': 3,
      'redriver_source_unselected_come_backs{source="eu"}': 4,
    };
    expect(Object.fromEntries(all)).toMatchObject(values);
  });

  test("tell what waits for the next day, if anything does", async () => {
    const limited = { ...drainFacts, reasons: { ...drainFacts.reasons, due: { "day-limit": 3 } } };
    const drains = [{ ...facts.drains[0]!, facts: limited }];
    const all = await samples(create(async () => ({ ...facts, drains })));
    expect(all.get('redriver_day_limited_records{source="eu",drain="orders"}')).toBe(3);
  });

  test.each<[string, () => Promise<QueueFacts | null>]>([
    ["are not there", async () => null],
    ["cannot be read", () => Promise.reject(new Error("Redis is away"))],
  ])("are absent, not 0, when they %s, also after they were there", async (_name, unreadable) => {
    let readable = true;
    const metrics = create(() => (readable ? Promise.resolve(facts) : unreadable()));
    const never = toSeries(await samples(create(async () => null)));
    const before = toSeries(await samples(metrics));
    const metricsOfFacts = before.filter((key) => !never.includes(key)).map((key) => key.split("{")[0]);
    expect(new Set(metricsOfFacts).size).toBe(43);
    clock().advance(1_000);
    readable = false;
    const all = await samples(metrics);
    expect(all.get("redriver_redis_up")).toBe(0);
    expect(toSeries(all)).toEqual(never);
  });

  test("of a source are no depth until all of it was counted once", async () => {
    const [drain] = facts.drains;
    const [one] = facts.sources;
    const metrics = create(async () => ({
      ...facts,
      drains: [{ ...drain!, stillCounting: true }],
      sources: [{ ...one!, depth: { count: 9, exact: false, stillCounting: true } }],
    }));
    const all = await samples(metrics);
    expect(all.get('redriver_drain_counted{drain="orders"}')).toBe(0);
    expect(named(all, "redriver_source_depth")).toEqual({});
    expect(all.get('redriver_source_depth_exact{source="eu"}')).toBe(0);
    expect((await samples(create())).get('redriver_drain_counted{drain="orders"}')).toBe(1);
  });

  test("are given two seconds, and asked for once at a time", async () => {
    let reads = 0;
    const metrics = create(() => {
      reads += 1;
      return new Promise(() => undefined);
    });
    const rendering = Promise.all([samples(metrics), samples(metrics)]);
    await waitFor(() => expect(clock().pending()).toBe(2));
    clock().advance(2_000);
    const [all] = await rendering;
    expect(all.get("redriver_redis_up")).toBe(0);
    expect(reads).toBe(1);
  });

  test("of a drain without a pass, or with an empty DLQ, leave out what is not known", async () => {
    const metrics = create(async () => ({
      ...facts,
      drains: [
        { ...bareDrain, drain: orders, acting: false, facts: null, stillCounting: true },
        { ...bareDrain, drain: refunds, facts: { ...drainFacts, oldestRecordAt: null, lastSuccessAt: null } },
      ],
      sources: [bareSource({ summary: { ...summary, oldestPendingAt: null, settleGate: "open" as const } })],
    }));
    const all = await samples(metrics);
    expect(named(all, "redriver_drain_acting")).toEqual({
      'redriver_drain_acting{drain="orders"}': 0,
      'redriver_drain_acting{drain="refunds"}': 1,
    });
    expect(all.has('redriver_records{source="eu",drain="orders",state="due"}')).toBe(false);
    for (const name of ["oldest_record", "earliest_expiry", "pass_last_success", "oldest_pending_delete"]) {
      expect(named(all, `redriver_${name}_timestamp_seconds`)).toEqual({});
    }
    expect(named(all, "redriver_settle_gate_closed")).toEqual({
      'redriver_settle_gate_closed{source="eu"}': 0,
    });
  });

  test("of no drain are inexact where another document was counted by, and have no age where there are none", async () => {
    const other = { ...census, documentHash: "def456", unselected: 0, oldestUnselectedAt: null };
    const all = await samples(
      create(async () => ({
        ...facts,
        sources: [bareSource({ census: other })],
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

test("statistics of search indexes are shown as they are handed in, and go when they do or cannot be read", async () => {
  const name = "redriver_index_current_vectors";
  let gauges: readonly IndexGauge[] = [
    { name, help: "Current number of vectors.", labels: { index: "catalog" }, value: 12 },
    { name, help: "Current number of vectors.", labels: { index: "users" }, value: 3 },
  ];
  let isReadable = true;
  const metrics = create(undefined, async () => {
    if (!isReadable) throw new Error("Redis is away");
    return gauges;
  });
  expect(named(await samples(metrics), name)).toEqual({
    [`${name}{index="catalog"}`]: 12,
    [`${name}{index="users"}`]: 3,
  });
  gauges = gauges.slice(0, 1);
  clock().advance(1_000);
  expect(named(await samples(metrics), name)).toEqual({ [`${name}{index="catalog"}`]: 12 });
  isReadable = false;
  clock().advance(1_000);
  const all = await samples(metrics);
  expect(named(all, name)).toEqual({});
  expect(all.get("redriver_redis_up")).toBe(1);
});
