import type { Tally } from "./passes.ts";

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
  oldestRecordAt: null,
  pages: 0,
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
    oldestRecordAt: earlier(one.oldestRecordAt, other.oldestRecordAt),
    pages: one.pages + other.pages,
  };
}

/** The earlier of two moments, either of which may be missing. */
export function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
