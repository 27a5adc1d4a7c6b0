/** The metrics that show what Redis keeps: of drains, sources, lanes, destinations and kinds of failure. */
import type { Registry } from "prom-client";
import type { RuleCounts } from "../job/contracts/ledger.ts";
import type { QueueFacts } from "../job/contracts/queue-facts.ts";
import type { DestinationOfDrain, ShownFailure } from "./choose-series.ts";
import { gaugesOf } from "./gauges-of.ts";

export type DrainRow = QueueFacts["drains"][number];
export type SourceRow = QueueFacts["sources"][number];
type LaneRow = NonNullable<SourceRow["lanes"]>["lanes"][number];

/** A metric, and its value. Null or undefined: it has no series, because absent is not 0. */
type Row<Subject> = readonly [help: string, value: (of: Subject) => number | null | undefined];
type Rows<Subject> = Readonly<Record<string, Row<Subject>>>;

/** A metric of each row, all with the same labels: a counter if its name ends with `_total`, else a gauge. */
export interface Table<Subject> {
  readonly labels: readonly string[];
  readonly rows: Rows<Subject>;
}

interface Waiting {
  readonly exact: boolean;
  readonly oldestAt: number | null;
  readonly retentionMs: number;
  readonly unmatched?: number;
  readonly dayLimited?: number | undefined;
  readonly arrivals?: number | undefined;
}
/** Of a destination; of the rest of them only what waits is known. */
type DestinationRow = Partial<Pick<DestinationOfDrain, "parked" | "published" | "failedAgain">> &
  Pick<DestinationOfDrain, "waiting">;

export const restOfDestinations = "other";

const ofDrain = ["source", "drain"] as const;
const ofDestination = ["source", "drain", "origin"] as const;
const ofFailure = ["source", "failure"] as const;

/** Set one by one, because their series have labels of their own. */
export function createSingleGauges(registry: Registry) {
  const gauge = gaugesOf(registry);
  return {
    redisUp: gauge("redriver_redis_up", "1 when the facts about the queue could be read."),
    redisFit: gauge(
      "redriver_redis_fit",
      "1 when Redis is set up to keep a ledger; while it is 0 nothing is begun. Absent while Redis is away.",
    ),
    redisMemory: gauge(
      "redriver_redis_memory_ratio",
      "Memory that Redis uses as a share of its maxmemory, of the fullest master. Absent without a limit.",
    ),
    records: gauge(
      "redriver_records",
      "Records in the DLQ by state, as of the last pages. Drain none: of no drain, as the last census counted.",
      ["source", "drain", "state"],
    ),
    failureMet: gauge(
      "redriver_failure_first_met_timestamp_seconds",
      "When a failure was met first, with its destination, status and the answer's signature; of the same failures.",
      [...ofFailure, "origin", "status", "answer"],
    ),
    guardClosed: gauge(
      "redriver_guard_closed",
      "1 while a search index holds what the drain would republish.",
      ["drain", "index"],
    ),
    lanes: gauge("redriver_lanes", "Destinations of the source's drains, by the state of their lanes.", [
      "source",
      "state",
    ]),
    lane: gauge(
      "redriver_lane",
      "1 for the state that a lane is in; of the 20 lanes of a source that were asked for most messages.",
      ["source", "drain", "origin", "state"],
    ),
  };
}

const table = <Subject>(labels: readonly string[], rows: Rows<Subject>): Table<Subject> => ({ labels, rows });

export const tables = {
  waiting: table<Waiting>(ofDrain, {
    redriver_records_exact: [
      "1 when the last pass counted every record of the drain and none is open; 0 while arrivals and acts since are added.",
      ({ exact }) => Number(exact),
    ],
    redriver_oldest_record_timestamp_seconds: [
      "When the oldest record of the drain entered the DLQ.",
      ({ oldestAt }) => toSeconds(oldestAt),
    ],
    redriver_earliest_expiry_timestamp_seconds: [
      "When the oldest record of the drain leaves the DLQ for good.",
      ({ oldestAt, retentionMs }) => toSeconds(oldestAt, retentionMs),
    ],
    redriver_unmatched_records: [
      "Records that are held because no rule matches them, as of the last pages.",
      ({ unmatched }) => unmatched,
    ],
    redriver_day_limited_records: [
      "Due records that wait for the next UTC day, because perDay is reached. Absent if none does.",
      ({ dayLimited }) => dayLimited,
    ],
    redriver_arrivals_total: [
      "Records that entered the DLQ since the drain was first counted, come-backs included. It grows as pages end.",
      ({ arrivals }) => arrivals,
    ],
  }),
  drains: table<DrainRow>(["drain"], {
    redriver_pass_last_success_timestamp_seconds: [
      "End of the last complete pass.",
      ({ facts }) => toSeconds(facts?.lastSuccessAt),
    ],
    redriver_drain_acting: [
      "1 when the drain acts; 0 in plan mode or while paused.",
      ({ acting }) => Number(acting),
    ],
    redriver_drain_counted: [
      "1 when all records of the drain have been counted; while it is 0, there are at least as many as shown.",
      ({ stillCounting }) => Number(!stillCounting),
    ],
  }),
  /** Redis keeps the counters, so each scrape sets them to their stored value. */
  sources: table<SourceRow>(["source"], {
    redriver_pending_deletes: [
      "Published or archived and not deleted yet.",
      ({ summary }) => summary?.pendingDelete,
    ],
    redriver_oldest_pending_delete_timestamp_seconds: [
      "Since when the oldest of the pending deletes is pending.",
      ({ summary }) => toSeconds(summary?.oldestPendingAt),
    ],
    redriver_failed_deletes: [
      "Pending deletes that were tried and failed.",
      ({ summary }) => summary?.failedDeletes,
    ],
    redriver_settle_gate_closed: [
      "1 while the source publishes nothing because too much waits for its delete.",
      ({ summary }) => (summary === null ? null : Number(summary.settleGate === "closed")),
    ],
    redriver_source_depth: [
      "Records in the DLQ of the source, those to be deleted included. Absent until all were counted once.",
      ({ depth }) => (depth?.stillCounting === true ? null : depth?.count),
    ],
    redriver_source_depth_exact: [
      "1 when the depth is a count; 0 while it is estimated from counts, arrivals and deletes since.",
      ({ depth }) => (depth === null ? null : Number(depth.exact)),
    ],
    redriver_source_oldest_record_timestamp_seconds: [
      "When the oldest record of the source entered the DLQ.",
      ({ census }) => toSeconds(census?.oldestEnteredAt),
    ],
    redriver_source_earliest_expiry_timestamp_seconds: [
      "When the oldest record of the source leaves the DLQ for good.",
      ({ census }) => toSeconds(census?.earliestExpiryAt),
    ],
    redriver_source_expiring_records: [
      "Records whose retention ends within a day, with or without a copy. Absent until all were counted once.",
      ({ expiring }) => expiring.count,
    ],
    redriver_source_expiring_unarchived_records: [
      "Records that expire soon and of which the archive has no copy, as the last census counted.",
      ({ census }) => census?.expiringUnarchived,
    ],
    redriver_source_expiring_accepted_records: [
      "Records that expire soon without a copy and whose drains say beforeExpiry: nothing, as the last census counted.",
      ({ census }) => census?.expiringAccepted,
    ],
    redriver_source_unselected_come_backs: [
      "Records that came back from a redrive and that no drain selects, as the last census counted.",
      ({ census }) => census?.strayComeBacks.count,
    ],
    redriver_source_census_interval_seconds: [
      "How often the document asks for a census.",
      ({ censusEveryMs }) => toSeconds(censusEveryMs),
    ],
    redriver_source_census_timestamp_seconds: [
      "When the last census began.",
      ({ census }) => toSeconds(census?.at),
    ],
    // The sum of all lanes: a sum of the hidden ones would jump with each lane that enters or leaves the 20.
    redriver_source_lane_canaries_total: [
      "Canaries that all lanes of a source have sent, those without a series of their own and those that are forgotten too.",
      ({ lanes }) => lanes?.totals.canaries,
    ],
    redriver_source_lane_come_backs_total: [
      "Those of them that came back, of all lanes.",
      ({ lanes }) => lanes?.totals.comeBacks,
    ],
    redriver_source_lane_halts_total: [
      "How often lanes were halted, of all lanes.",
      ({ lanes }) => lanes?.totals.halts,
    ],
  }),
  laneTotals: table<LaneRow>(ofDestination, {
    redriver_lane_canaries_total: [
      "Canaries that a lane has sent since it is remembered; of the 20 lanes of a source that were asked for most messages.",
      ({ totals }) => totals.canaries,
    ],
    redriver_lane_come_backs_total: [
      "Those of them that came back; of the same lanes.",
      ({ totals }) => totals.comeBacks,
    ],
    redriver_lane_halts_total: [
      "How often a lane was halted; of the same lanes.",
      ({ totals }) => totals.halts,
    ],
  }),
  destinations: table<DestinationRow>(ofDestination, {
    redriver_destination_waiting: [
      "Records that wait: due, held or in doubt. Of the 20 destinations of a source with most; other: of all others.",
      ({ waiting }) => waiting,
    ],
    redriver_destination_parked: [
      "Records that wait for a person; of the same destinations.",
      ({ parked }) => parked,
    ],
    redriver_destination_published_total: [
      "Dead letters that were published to a destination, ever; of the same destinations.",
      ({ published }) => published,
    ],
    redriver_destination_failed_again_total: [
      "Redriven messages to a destination that were found dead again, ever; of the same destinations.",
      ({ failedAgain }) => failedAgain,
    ],
  }),
  ruleTotals: table<RuleCounts>(["drain", "rule"], {
    redriver_rule_published_total: [
      "Dead letters that a rule has published, ever. Absent until it has published one.",
      ({ published }) => published,
    ],
    redriver_rule_failed_again_total: [
      "Those of them that were found dead again.",
      ({ failedAgain }) => failedAgain,
    ],
  }),
  failures: table<ShownFailure>(ofFailure, {
    redriver_failure_waiting: [
      "Records that failed alike and wait. Of the 20 failures of a source with most, and of up to 20 that are new.",
      ({ waiting }) => waiting,
    ],
    redriver_failure_arrivals_total: [
      "Records that failed alike, ever; of the same failures. It grows as pages end.",
      ({ arrived }) => arrived,
    ],
  }),
};

function toSeconds(ms: number | null | undefined, afterMs = 0): number | null {
  return ms === null || ms === undefined ? null : (ms + afterMs) / 1_000;
}
