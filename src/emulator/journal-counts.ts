import type { JournalEntry } from "./journal-entries.ts";

/** Exact since the start or the last reset, however many entries were forgotten. */
export interface Counts {
  readonly requests: Record<string, number>;
  readonly accepted: number;
  readonly deduplicated: number;
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly callbacks: number;
  readonly deadLettered: number;
  readonly lost: number;
  readonly deleted: number;
  readonly expired: number;
  readonly retried: number;
  readonly cancelled: number;
  readonly faults: Record<string, number>;
}

export type MutableCounts = { -readonly [K in keyof Counts]: Counts[K] };

export const noCounts = (): MutableCounts => ({
  requests: {},
  accepted: 0,
  deduplicated: 0,
  delivered: 0,
  failedAttempts: 0,
  callbacks: 0,
  deadLettered: 0,
  lost: 0,
  deleted: 0,
  expired: 0,
  retried: 0,
  cancelled: 0,
  faults: {},
});

/** Adds one entry to the counters. */
export function count(counts: MutableCounts, entry: JournalEntry): void {
  switch (entry.type) {
    case "request": {
      const key = `${entry.operation} ${entry.status}`;
      counts.requests[key] = (counts.requests[key] ?? 0) + 1;
      return;
    }
    case "accepted":
      counts.accepted++;
      return;
    case "deduplicated":
      counts.deduplicated++;
      return;
    case "delivery":
      if (entry.outcome === "delivered") counts.delivered++;
      else counts.failedAttempts++;
      return;
    case "callback":
      counts.callbacks++;
      return;
    case "dead-lettered":
      counts.deadLettered++;
      return;
    case "lost":
      counts.lost++;
      return;
    case "deleted":
      if (entry.by === "retention") counts.expired += entry.dlqIds.length;
      else counts.deleted += entry.dlqIds.length;
      return;
    case "retried":
      counts.retried++;
      return;
    case "cancelled":
      counts.cancelled++;
      return;
    case "paused":
    case "resumed":
    case "seeded":
    case "control":
      return;
    case "fault":
      counts.faults[entry.name] = (counts.faults[entry.name] ?? 0) + 1;
      return;
  }
}
