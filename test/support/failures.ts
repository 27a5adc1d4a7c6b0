import type { RecordedFailure, StandingFailure } from "../../src/job/contracts/failures.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";

/** A kind of failure that a drain has nothing of, but for these fields. */
export const standingFailure = (id: string, more: Partial<StandingFailure> = {}): StandingFailure => ({
  id,
  waiting: 0,
  parked: 0,
  arrived: 0,
  published: 0,
  discarded: 0,
  failedAgain: 0,
  lastArrivedAt: null,
  largestHour: 0,
  ruled: {},
  expires: {},
  oldestAt: null,
  since: null,
  failedAgainAs: {},
  lastMovedAt: 0,
  reopenedAt: 0,
  ...more,
});

/** What the failure book has of it, met first at this time. */
export const recordedFailure = (
  id: string,
  metAt: number,
  more: Partial<RecordedFailure> = {},
): RecordedFailure => ({
  id,
  origin: "https://pay.example.com",
  status: 503,
  text: "upstream down",
  firstMetAt: metAt,
  lastMetAt: metAt,
  drain: "orders" as DrainName,
  sample: null,
  ...more,
});
