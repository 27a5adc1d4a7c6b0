import type { ReasonCounts, SoFar, Tally } from "./passes.ts";

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

export function addTallies(one: Tally, other: Tally): Tally {
  return {
    listed: one.listed + other.listed,
    due: one.due + other.due,
    republished: one.republished + other.republished,
    deduplicated: one.deduplicated + other.deduplicated,
    deleted: one.deleted + other.deleted,
    held: one.held + other.held,
    parked: one.parked + other.parked,
    inDoubt: one.inDoubt + other.inDoubt,
    comeBacks: one.comeBacks + other.comeBacks,
    reasons: addReasons(one.reasons, other.reasons),
    oldestRecordAt: earlier(one.oldestRecordAt, other.oldestRecordAt),
    pages: one.pages + other.pages,
    pagesBehindDeletes: one.pagesBehindDeletes + other.pagesBehindDeletes,
    passedOver: one.passedOver + other.passedOver,
  };
}

function addReasons(one: ReasonCounts, other: ReasonCounts): ReasonCounts {
  return {
    due: addCounts(one.due, other.due),
    held: addCounts(one.held, other.held),
    parked: addCounts(one.parked, other.parked),
  };
}

export function toSoFar({ listed, republished, due, held, parked }: SoFar): SoFar {
  return { listed, republished, due, held, parked };
}

export function sumSoFar(parts: readonly SoFar[]): SoFar {
  return toSoFar(
    parts.reduce<Tally>((sum, part) => addTallies(sum, { ...emptyTally, ...toSoFar(part) }), emptyTally),
  );
}

type Counts<Reason extends string> = { readonly [Key in Reason]?: number };

function addCounts<Reason extends string>(one: Counts<Reason>, other: Counts<Reason>): Counts<Reason> {
  const sum: { [Key in Reason]?: number } = { ...one };
  for (const reason of Object.keys(other) as Reason[]) {
    sum[reason] = (sum[reason] ?? 0) + (other[reason] ?? 0);
  }
  return sum;
}

/** The earlier of two moments. Either may be missing. */
export function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
