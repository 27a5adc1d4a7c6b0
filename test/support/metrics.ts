import type { Census } from "../../src/job/contracts/source-book.ts";
import { afterEach } from "vitest";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";
import type { LedgerSummary } from "../../src/job/contracts/ledger.ts";
import type { DrainFacts } from "../../src/job/contracts/passes.ts";
import type { LanesCounted } from "../../src/job/contracts/lanes.ts";
import type { RecordedFailure } from "../../src/job/contracts/failures.ts";
import type { Destination, QueueFacts } from "../../src/job/contracts/queue-facts.ts";
import type { IndexGauge } from "../../src/job/contracts/index-statistics.ts";
import { createMetrics, type MemoryUse, type ProcessMetrics } from "../../src/telemetry/metrics.ts";
import { standingFailure } from "./failures.ts";
import { lane } from "./statuses.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";

export const eu = "eu" as SourceId;
export const orders = "orders" as DrainName;
export const refunds = "refunds" as DrainName;
export const document = {
  hash: "abc123",
  sources: [{ id: "eu" }],
  drains: [{ name: "orders", source: { id: "eu" }, rules: [{ name: "outage" }] }],
  indexes: [{ name: "catalog" }],
};

const counts = { waiting: 6, parked: 1, arrived: 11, published: 3, failedAgain: 2, largestHour: 7 };
const standing = standingFailure("4c1d0a9e21", counts);
const destination: Destination = {
  origin: "https://a.example",
  waiting: 6,
  unseen: 0,
  parked: 1,
  arrived: 11,
  published: 3,
  failedAgain: 2,
  failingSince: null,
};
export const recordedFailure: RecordedFailure = {
  id: standing.id,
  origin: destination.origin,
  status: 503,
  text: "upstream is down",
  firstMetAt: 1_700_000_050_000,
  lastMetAt: 1_700_000_060_000,
  drain: orders,
  sample: null,
};
export const drainFacts: DrainFacts = {
  due: 3,
  held: 4,
  parked: 5,
  inDoubt: 1,
  exact: true,
  mayHaveSkipped: false,
  countedTo: 0,
  reasons: { due: {}, held: {}, parked: {} },
  oldestRecordAt: 1_700_000_000_000,
  lastSuccessAt: 1_700_000_100_500,
  lastFullAt: null,
  failures: [standing],
  gone: null,
  arrivals: 12,
  arrivedAgain: 0,
  pace: {},
  backlog: null,
  openPass: null,
  lastOutcome: "complete",
};
export const summary: LedgerSummary = {
  epoch: "e",
  sequence: 1,
  at: 1_700_000_200_000,
  open: 3,
  unknown: 2,
  oldestOpenAt: null,
  pendingDelete: 7,
  oldestPendingAt: 1_700_000_150_000,
  failedDeletes: 6,
  gone: 0,
  settleGate: "closed",
  rules: [{ drain: orders, rule: "outage", id: "a", published: 8, failedAgain: 2 }],
};
/** Of some states, of which two are among the busiest. */
export const lanes: LanesCounted = {
  counts: { canary: 0, ramping: 1, open: 3, halted: 1 },
  totals: { canaries: 250, comeBacks: 7, halts: 4 },
  at: 1_700_000_200_000,
  unknown: 0,
  lastUsedAt: 1_700_000_000_000,
  reportedAt: null,
  service: null,
  lanes: [
    lane({ totals: { canaries: 105, comeBacks: 3, halts: 1 } }),
    lane({ origin: "https://b.example", state: "halted" }),
  ],
};

export const census: Census = {
  at: 1_700_000_190_000,
  counted: "listing",
  depth: 40,
  unselected: 9,
  oldestUnselectedAt: 1_700_000_020_000,
  strayComeBacks: { count: 4, top: [] },
  oldestEnteredAt: 1_700_000_000_000,
  earliestExpiryAt: 1_700_259_200_000,
  expiringUnarchived: 2,
  expiringAccepted: 3,
  documentHash: "abc123",
};
export const facts: QueueFacts = {
  redisMemoryShare: 0.25,
  redisFit: true,
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
      selectsEverything: false,
      retentionMs: 259_200_000,
      stillCounting: false,
      destinations: [destination],
    },
  ],
  sources: [
    {
      source: eu,
      summary,
      censusEveryMs: 900_000,
      census,
      depth: { count: 9, exact: true, stillCounting: false },
      expiring: { count: 4, atLeast: 4, by: 0, asOf: 0, groups: [] },
      shared: null,
      failures: [recordedFailure],
      lanes,
    },
  ],
};

export const memory = (): MemoryUse => ({ pageBytes: 1, pageLimitBytes: 16, limitBytes: 64 });

/** ProcessMetrics over a clock that each test of the file has to itself. */
export function useMetrics() {
  let clock: ManualClock = createManualClock();
  afterEach(() => {
    clock = createManualClock();
  });
  return {
    clock: (): ManualClock => clock,
    create(
      readFacts: () => Promise<QueueFacts | null> = async () => facts,
      indexGauges: () => Promise<readonly IndexGauge[]> = async () => [],
    ): ProcessMetrics {
      const metrics = createMetrics({ version: "1.2.3", readFacts, indexGauges, memory, clock });
      metrics.adopt(document);
      return metrics;
    },
  };
}

/** Samples as `name{labels}` → value, in the text's own spelling. */
export async function samples(metrics: ProcessMetrics): Promise<Map<string, number>> {
  const lines = (await metrics.render()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

export function named(all: ReadonlyMap<string, number>, name: string): Record<string, number> {
  return Object.fromEntries([...all].filter(([key]) => key === name || key.startsWith(`${name}{`)));
}
