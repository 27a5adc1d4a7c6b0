import { Counter, Gauge, type Registry } from "prom-client";
import { toInDoubt, type QueueFacts } from "../ports/queue-facts.ts";

/** Sets every gauge that tells of Redis; `null` takes all their series away, because absent is not 0. */
export type SetQueueGauges = (facts: QueueFacts | null) => void;

/** Facts about the queue: equal in every replica, so alerts take the max. */
export function createQueueGauges(registry: Registry): SetQueueGauges {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });

  const redisUp = gauge("redriver_redis_up", "1 when the facts about the queue could be read.", []);
  const redisFit = gauge(
    "redriver_redis_fit",
    "1 when Redis is set up to keep a ledger; while it is 0 nothing is begun. Absent while Redis is away.",
    [],
  );
  const redisMemory = gauge(
    "redriver_redis_memory_ratio",
    "Memory that Redis uses as a share of its maxmemory, of the fullest master; from 0.9 on nothing new is begun. Absent without a limit.",
    [],
  );
  const records = gauge(
    "redriver_records",
    "Records in the DLQ by state; in_doubt is live, the others are of the last pass. Drain none: of no drain, as the last census counted.",
    ["source", "drain", "state"],
  );
  const exact = gauge("redriver_records_exact", "1 when the last pass counted every record of the drain.", [
    "source",
    "drain",
  ]);
  const oldest = gauge(
    "redriver_oldest_record_timestamp_seconds",
    "When the oldest record of the drain entered the DLQ.",
    ["source", "drain"],
  );
  const expiry = gauge(
    "redriver_earliest_expiry_timestamp_seconds",
    "When the oldest record of the drain leaves the DLQ for good.",
    ["source", "drain"],
  );
  const lastSuccess = gauge(
    "redriver_pass_last_success_timestamp_seconds",
    "End of the last complete pass.",
    ["drain"],
  );
  const acting = gauge("redriver_drain_acting", "1 when the drain acts; 0 in plan mode or while paused.", [
    "drain",
  ]);
  const guardClosed = gauge(
    "redriver_guard_closed",
    "1 while a search index holds what the drain would republish.",
    ["drain", "index"],
  );
  const pending = gauge("redriver_pending_deletes", "Published or archived and not deleted yet.", ["source"]);
  const oldestPending = gauge(
    "redriver_oldest_pending_delete_timestamp_seconds",
    "Since when the oldest of the pending deletes is pending.",
    ["source"],
  );
  const failedDeletes = gauge("redriver_failed_deletes", "Pending deletes that were tried and failed.", [
    "source",
  ]);
  const gateClosed = gauge(
    "redriver_settle_gate_closed",
    "1 while the source publishes nothing because too much waits for its delete.",
    ["source"],
  );
  const depth = gauge(
    "redriver_source_depth",
    "Records in the DLQ of the source, as the last census counted.",
    ["source"],
  );
  const sourceOldest = gauge(
    "redriver_source_oldest_record_timestamp_seconds",
    "When the oldest record of the source entered the DLQ.",
    ["source"],
  );
  const sourceExpiry = gauge(
    "redriver_source_earliest_expiry_timestamp_seconds",
    "When the oldest record of the source leaves the DLQ for good.",
    ["source"],
  );
  const unarchived = gauge(
    "redriver_source_expiring_unarchived_records",
    "Records that expire soon and of which the archive has no copy, as the last census counted.",
    ["source"],
  );
  const accepted = gauge(
    "redriver_source_expiring_accepted_records",
    "Records that expire soon without a copy and whose drains say beforeExpiry: nothing, as the last census counted.",
    ["source"],
  );
  const strays = gauge(
    "redriver_source_unselected_come_backs",
    "Records that came back from a redrive and that no drain selects, as the last census counted.",
    ["source"],
  );
  const censusEvery = gauge(
    "redriver_source_census_interval_seconds",
    "How often the document asks for a census.",
    ["source"],
  );
  const censusAt = gauge("redriver_source_census_timestamp_seconds", "When the last census began.", [
    "source",
  ]);
  const lanes = gauge("redriver_lanes", "Destinations of the source's drains, by the state of their lanes.", [
    "source",
    "state",
  ]);
  const lane = gauge(
    "redriver_lane",
    "1 for the state that a lane is in; of the 20 lanes of a source that were asked for most messages.",
    ["source", "drain", "origin", "state"],
  );
  /** Kept in Redis like the gauges, and so set at each scrape to what is kept there. */
  const total = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const laneCanaries = total(
    "redriver_lane_canaries_total",
    "Canaries that a lane has sent since it is remembered; of the 20 lanes of a source that were asked for most messages.",
    ["source", "drain", "origin"],
  );
  const laneComeBacks = total(
    "redriver_lane_come_backs_total",
    "Those of them that came back; of the same lanes.",
    ["source", "drain", "origin"],
  );
  const laneHalts = total("redriver_lane_halts_total", "How often a lane was halted; of the same lanes.", [
    "source",
    "drain",
    "origin",
  ]);
  // The sum of all and not of the rest: that would jump with each lane that enters the 20 or leaves them.
  const sourceCanaries = total(
    "redriver_source_lane_canaries_total",
    "Canaries that all lanes of a source have sent, those without a series of their own and those that are forgotten too.",
    ["source"],
  );
  const sourceComeBacks = total(
    "redriver_source_lane_come_backs_total",
    "Those of them that came back, of all lanes.",
    ["source"],
  );
  const sourceHalts = total(
    "redriver_source_lane_halts_total",
    "How often lanes were halted, of all lanes.",
    ["source"],
  );
  const all = [
    lanes,
    lane,
    laneCanaries,
    laneComeBacks,
    laneHalts,
    sourceCanaries,
    sourceComeBacks,
    sourceHalts,
    depth,
    sourceOldest,
    sourceExpiry,
    unarchived,
    accepted,
    strays,
    censusEvery,
    censusAt,
    records,
    exact,
    oldest,
    expiry,
    lastSuccess,
    acting,
    guardClosed,
    pending,
    oldestPending,
    failedDeletes,
    gateClosed,
  ];

  return (facts) => {
    for (const one of all) one.reset();
    redisUp.set(facts === null ? 0 : 1);
    // Without labels a reset leaves 0, and absent is not 0.
    redisMemory.remove();
    redisFit.remove();
    if (facts === null) return;
    redisFit.set(facts.redisFit ? 1 : 0);
    if (facts.redisMemoryShare !== null) redisMemory.set(facts.redisMemoryShare);
    for (const { drain, source, acting: acts, guards, facts: found, retentionMs } of facts.drains) {
      acting.set({ drain }, acts ? 1 : 0);
      for (const { index } of guards) guardClosed.set({ drain, index }, 0);
      for (const { index, effect } of guards) if (effect === "closed") guardClosed.set({ drain, index }, 1);
      if (found === null) continue;
      records.set({ source, drain, state: "due" }, found.due);
      records.set({ source, drain, state: "held" }, found.held);
      records.set({ source, drain, state: "parked" }, found.parked);
      exact.set({ source, drain }, found.exact ? 1 : 0);
      if (found.lastSuccessAt !== null) lastSuccess.set({ drain }, toSeconds(found.lastSuccessAt));
      if (found.oldestRecordAt === null) continue;
      oldest.set({ source, drain }, toSeconds(found.oldestRecordAt));
      expiry.set({ source, drain }, toSeconds(found.oldestRecordAt + retentionMs));
    }
    for (const { source, census, censusEveryMs } of facts.sources) {
      censusEvery.set({ source }, toSeconds(censusEveryMs));
      if (census === null) continue;
      const { oldestUnselectedAt, oldestEnteredAt, earliestExpiryAt } = census;
      const retentionMs = oldestEnteredAt === null ? 0 : (earliestExpiryAt ?? 0) - oldestEnteredAt;
      const labels = { source, drain: "none" };
      records.set({ ...labels, state: "held" }, census.unselected);
      // Another document may select what was of no drain then.
      exact.set(labels, census.documentHash === facts.documentHash ? 1 : 0);
      if (oldestUnselectedAt !== null) {
        oldest.set(labels, toSeconds(oldestUnselectedAt));
        expiry.set(labels, toSeconds(oldestUnselectedAt + retentionMs));
      }
      depth.set({ source }, census.depth);
      unarchived.set({ source }, census.expiringUnarchived);
      accepted.set({ source }, census.expiringAccepted);
      strays.set({ source }, census.strayComeBacks.count);
      censusAt.set({ source }, toSeconds(census.at));
      if (oldestEnteredAt !== null) sourceOldest.set({ source }, toSeconds(oldestEnteredAt));
      if (earliestExpiryAt !== null) sourceExpiry.set({ source }, toSeconds(earliestExpiryAt));
    }
    for (const { source, lanes: seen } of facts.sources) {
      if (seen === null) continue;
      for (const [state, count] of Object.entries(seen.counts)) lanes.set({ source, state }, count);
      sourceCanaries.inc({ source }, seen.totals.canaries);
      sourceComeBacks.inc({ source }, seen.totals.comeBacks);
      sourceHalts.inc({ source }, seen.totals.halts);
      for (const { drain, origin, state, totals } of seen.busiest) {
        lane.set({ source, drain, origin, state }, 1);
        laneCanaries.inc({ source, drain, origin }, totals.canaries);
        laneComeBacks.inc({ source, drain, origin }, totals.comeBacks);
        laneHalts.inc({ source, drain, origin }, totals.halts);
      }
    }
    for (const { source, summary } of facts.sources) {
      if (summary === null) continue;
      const drains = facts.drains.filter((drain) => drain.source === source);
      for (const [drain, count] of toInDoubt(summary.unknown, drains)) {
        records.set({ source, drain, state: "in_doubt" }, count);
      }
      pending.set({ source }, summary.pendingDelete);
      failedDeletes.set({ source }, summary.failedDeletes);
      gateClosed.set({ source }, summary.settleGate === "closed" ? 1 : 0);
      if (summary.oldestPendingAt !== null) oldestPending.set({ source }, toSeconds(summary.oldestPendingAt));
    }
  };
}

function toSeconds(ms: number): number {
  return ms / 1_000;
}
