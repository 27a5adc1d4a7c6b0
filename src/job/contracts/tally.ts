import type { ParkReason } from "../message/park-reasons.ts";
import type { HoldReason } from "../rules/decision.ts";

/** Why records were left in the DLQ, by count. In doubt has one reason and is not here. */
export interface ReasonCounts {
  readonly due: { readonly [Reason in HoldReason]?: number };
  readonly held: { readonly [Reason in HoldReason]?: number };
  readonly parked: { readonly [Reason in ParkReason]?: number };
  /** Of those held, what no earlier pass has counted. Absent: none. */
  readonly anew?: { readonly [Reason in HoldReason]?: number };
}

export interface PassCounts {
  readonly listed: number;
  readonly due: number;
  readonly republished: number;
  readonly deduplicated: number;
  readonly deleted: number;
  readonly held: number;
  readonly parked: number;
  readonly inDoubt: number;
  readonly comeBacks: number;
}

/** Counts of a pass or a window. Numbers are sums; times are the extremes in Unix ms. */
export interface Tally extends PassCounts {
  readonly reasons: ReasonCounts;
  readonly oldestRecordAt: number | null;
  readonly pages: number;
  /** Pages by a cursor after a delete. A service with positions as cursors skips records there. */
  readonly pagesBehindDeletes: number;
  /** Moments that could not be listed in full, because a record in them is too large. */
  readonly passedOver: number;
}

export const noReasons: ReasonCounts = { due: {}, held: {}, parked: {} };

export const emptyTally: Tally = {
  listed: 0,
  due: 0,
  republished: 0,
  deduplicated: 0,
  deleted: 0,
  held: 0,
  parked: 0,
  inDoubt: 0,
  comeBacks: 0,
  reasons: noReasons,
  oldestRecordAt: null,
  pages: 0,
  pagesBehindDeletes: 0,
  passedOver: 0,
};

export function addTallies(
  { reasons: ownReasons, oldestRecordAt: ownOldest, ...ownCounts }: Tally,
  { reasons, oldestRecordAt, ...counts }: Tally,
): Tally {
  return {
    ...addCounts(ownCounts, counts),
    reasons: {
      due: addCounts(ownReasons.due, reasons.due),
      held: addCounts(ownReasons.held, reasons.held),
      parked: addCounts(ownReasons.parked, reasons.parked),
      anew: addCounts(ownReasons.anew ?? {}, reasons.anew ?? {}),
    },
    oldestRecordAt: earlier(ownOldest, oldestRecordAt),
  };
}

function addCounts<Counts extends { readonly [name: string]: number | undefined }>(
  one: Counts,
  other: Counts,
): Counts {
  const sum: Record<string, number | undefined> = { ...one };
  for (const [name, count = 0] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum as Counts;
}

export function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
