import type { StandingFailure } from "../../src/job/contracts/failures.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import type { DrainNoticeFacts, NoticeFacts } from "../../src/people/notices/notice-facts.ts";
import { recordedFailure } from "./failures.ts";

export const drain = "orders" as DrainName;
export const startMs = Date.UTC(2026, 10, 1);

/** Of one drain; the rest is of its source. */
export interface GivenFacts
  extends Partial<Omit<DrainNoticeFacts, "failures">>, Partial<Omit<NoticeFacts, "drains">> {
  readonly failures?: readonly StandingFailure[];
}

/** A drain where nothing waits, and a source where nothing is known, but for these. */
export function noticeFacts({
  failures = [],
  kinds,
  quiet = new Set(),
  owned = new Set(),
  halted = [],
  isHaltedWhole = true,
  uncopied = 0,
  ...own
}: GivenFacts): NoticeFacts {
  const idle = {
    waiting: 0,
    stillCounting: false,
    isFirstListing: false,
    leftAlone: { forPerson: 0, cooling: 0 },
    mayHaveSkipped: false,
    heldByRules: 0,
    parked: 0,
    published: 0,
    failedAgain: 0,
    expiresAt: null,
  };
  return {
    drains: [{ drain, ...idle, nearMs: 0, destinations: [], ...own, failures }],
    kinds: kinds ?? new Map(failures.map(({ id }) => [id, recordedFailure(id, startMs)])),
    quiet,
    owned,
    halted,
    isHaltedWhole,
    uncopied,
  };
}
