import { describe, expect, test } from "vitest";
import type { RedriverEvent } from "../../../src/job/contracts/events.ts";
import { document, eu, named, orders, samples, useMetrics } from "../../support/metrics.ts";

const { create } = useMetrics();

describe("before anything has happened", () => {
  test("a document adopted later keeps the counts and says its own hash alone", async () => {
    const metrics = create();
    metrics.events.emit({ type: "record:settled", drain: orders, source: eu, count: 2 });
    metrics.adopt({ ...document, hash: "def456" });
    const all = await samples(metrics);
    expect(named(all, "redriver_config_info")).toEqual({ 'redriver_config_info{hash="def456"}': 1 });
    expect(all.get('redriver_settled_total{source="eu",drain="orders"}')).toBe(2);
  });

  test("of the event loop only the lag is shown that needs no timer", async () => {
    const all = await samples(create());
    const lags = [...all.keys()].filter((key) => key.startsWith("nodejs_eventloop_lag"));
    expect(lags).toEqual(["nodejs_eventloop_lag_seconds"]);
  });
});

describe("events are counted", () => {
  const base = { drain: orders, source: eu };
  /** Of orders and eu, unless it says otherwise. */
  const event = (type: RedriverEvent["type"], more: object = {}) =>
    ({ ...base, type, ...more }) as unknown as RedriverEvent;
  const plain = {
    dlqId: "1-0",
    messageId: "m",
    attempt: 1,
    deduplicated: false,
    canary: false,
    waitedMs: 90_000,
  };
  const published = (...records: readonly object[]) =>
    event("record:published", { records: records.map((one) => ({ ...plain, ...one })) });
  const comeBacks = (...canaries: readonly boolean[]) =>
    event("record:come-back", {
      records: canaries.map((canary) => ({ ...plain, canary, parentDlqId: "0-0" })),
    });
  const decided = (...reasons: readonly string[]) =>
    event("record:decided", {
      mode: "live",
      records: reasons.map((reason) => ({ dlqId: "1-0", decision: { then: "hold", reason, rule: null } })),
    });
  const answered = (outcome: string) =>
    event("service:answered", { operation: "batch", durationMs: 1_500, outcome });
  const halted = event("source:halted", { callClass: "dlq", code: "unauthorised", message: "" });
  const reasonsOfHold = 'decision_reasons_total{source="eu",decision="hold"';
  test.each<[series: string, event: RedriverEvent, value?: number]>([
    [`${reasonsOfHold},reason="too-young"}`, decided("too-young", "guard", "too-young"), 2],
    [`${reasonsOfHold},reason="guard"}`, decided("too-young", "guard")],
    [
      'pass_seconds_total{drain="orders"}',
      event("pass:closed", { durationMs: 2_500, outcome: "complete" }),
      2.5,
    ],
    ['decisions_total{drain="orders",decision="hold"}', decided("too-young", "guard"), 2],
    ['rule_decisions_total{drain="orders",rule="otherwise"}', decided("otherwise", "guard", "otherwise"), 2],
    ['redelivery_seconds_bucket{le="60",source="eu"}', published({}, { waitedMs: 60_000 })],
    ['redelivery_seconds_bucket{le="300",source="eu"}', published({}, { waitedMs: 300_001 })],
    ['redelivery_seconds_bucket{le="+Inf",source="eu"}', published({}, { waitedMs: 1e12 }), 2],
    ['redelivery_seconds_sum{source="eu"}', published({}, { waitedMs: 500 }), 90.5],
    ['redelivery_seconds_count{source="eu"}', published({}, {}), 2],
    ['published_total{drain="orders",deduplicated="true"}', published({}, { deduplicated: true })],
    ['published_total{drain="orders",deduplicated="false"}', published({}, {}), 2],
    ['canaries_total{source="eu",drain="orders"}', published({}, { canary: true })],
    ['canary_come_backs_total{source="eu",drain="orders"}', comeBacks(true, false)],
    ['come_backs_total{source="eu",drain="orders"}', comeBacks(true, false), 2],
    ['settled_total{source="eu",drain="orders"}', event("record:settled", { count: 40 }), 40],
    ['settled_total{source="eu",drain="none"}', event("record:settled", { drain: null, count: 4 }), 4],
    [
      'unknown_outcomes_total{source="eu",drain="orders"}',
      event("outcome:unknown", { dlqIds: ["1-0", "2-0"], why: "timeout" }),
      2,
    ],
    [
      'declared_doubles_total{drain="orders",why="released-past-window"}',
      event("double:declared", { dlqId: "1-0", why: "released-past-window" }),
    ],
    ['service_requests_total{source="eu",operation="batch",outcome="timeout"}', answered("timeout")],
    ['service_request_duration_seconds_sum{source="eu",operation="batch"}', answered("ok"), 1.5],
    ['source_halted{source="eu"}', halted],
    ['ledger_lost_writes_total{source="eu"}', event("ledger:lost-writes", { expected: "a", got: "b" })],
    ['censuses_total{source="eu",outcome="ok"}', event("census:taken", { depth: 1, durationMs: 1 })],
    ['censuses_total{source="eu",outcome="failed"}', event("census:failed", { code: "rate-limited" })],
    ['job_failures_total{kind="tick",given_up="true"}', event("job:failed", { kind: "tick", givenUp: true })],
  ])("%s", async (series, event, value = 1) => {
    const metrics = create();
    metrics.events.emit(event);
    expect((await samples(metrics)).get(`redriver_${series}`)).toBe(value);
  });

  test("a halted source is at 0 when it is resumed, and no longer shown when the next document lacks it", async () => {
    const metrics = create();
    metrics.events.emit(halted);
    metrics.events.emit({ type: "source:resumed", source: eu });
    expect((await samples(metrics)).get('redriver_source_halted{source="eu"}')).toBe(0);
    metrics.adopt({ ...document, sources: [{ id: "us" }], drains: [] });
    expect(named(await samples(metrics), "redriver_source_halted")).toEqual({
      'redriver_source_halted{source="us"}': 0,
    });
  });

  test("what was measured stays when the document is adopted again", async () => {
    const metrics = create();
    metrics.events.emit(published({}, {}));
    metrics.events.emit(answered("ok"));
    const before = await samples(metrics);
    metrics.adopt({ ...document });
    const durations = (all: typeof before) => named(all, "redriver_service_request_duration_seconds_count");
    const after = await samples(metrics);
    expect(durations(after)).toEqual(durations(before));
    expect(after.get('redriver_redelivery_seconds_count{source="eu"}')).toBe(2);
  });

  test("a rejected document is shown until the file holds one that is adopted", async () => {
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
