import type { LaneState } from "../../ports/lanes.ts";
import type { DrainFacts } from "../../ports/passes.ts";
import type { Destination } from "../../ports/queue-facts.ts";
import type { HoldReason } from "../../rules/decision.ts";

/** The lane of a destination, as it is now; null: the drain has no lanes. */
export interface DestinationLane {
  readonly state: LaneState;
  /** Ms until its next step or probe; 0: now; null: open, or unknown. */
  readonly nextInMs: number | null;
}

export interface DestinationOutlook extends Destination {
  readonly lane: DestinationLane | null;
}

export interface Outlook {
  /** In the DLQ and not parked. */
  readonly waiting: number;
  /** Of those: held until somebody changes a rule. */
  readonly heldByRules: number;
  /** Of those: for destinations whose lane is halted. */
  readonly haltedWaiting: number;
  /** The others: only time and limits hold them. */
  readonly going: number;
  /** Waiting, and published since something waits: the size of the backlog. */
  readonly backlog: number;
  /** Over the last minute at most; null: nothing was published, or for too short a time to say. */
  readonly perSecond: number | null;
  /** Ms until `going` is 0 at that rate; null: not known. */
  readonly doneInMs: number | null;
}

/** Nothing but another document, or a person, ends these holds. */
const heldByRules: readonly HoldReason[] = ["rule", "otherwise"];

const slotMs = 10_000;
const spanMs = 60_000;
const minSpanMs = 5_000;

/** What a drain's backlog comes to. Pure. `now`: Unix ms. */
export function toOutlook(
  facts: Pick<DrainFacts, "pace" | "backlog" | "reasons"> | null,
  destinations: readonly DestinationOutlook[],
  now: number,
): Outlook {
  let waiting = 0;
  let haltedWaiting = 0;
  for (const one of destinations) {
    waiting += one.waiting;
    if (one.lane?.state === "halted") haltedWaiting += one.waiting;
  }
  const reasons = facts?.reasons.held ?? {};
  const ruled = heldByRules.reduce((sum, reason) => sum + (reasons[reason] ?? 0), 0);
  const going = Math.max(0, waiting - ruled - haltedWaiting);
  const perSecond = facts === null ? null : toRate(facts.pace, now);
  return {
    waiting,
    heldByRules: Math.min(waiting, ruled),
    haltedWaiting,
    going,
    backlog: waiting + (facts?.backlog?.published ?? 0),
    perSecond,
    doneInMs: going === 0 || perSecond === null ? null : Math.round((going / perSecond) * 1_000),
  };
}

/** Publishes per second of the last minute, or since the first of it. Null: none. */
function toRate(pace: DrainFacts["pace"], now: number): number | null {
  let count = 0;
  let since = now;
  for (const [slot, published] of Object.entries(pace)) {
    const startsAt = Number(slot) * slotMs;
    if (startsAt + slotMs <= now - spanMs) continue;
    count += published;
    since = Math.min(since, startsAt);
  }
  const overMs = now - since;
  return count === 0 || overMs < minSpanMs ? null : (count / overMs) * 1_000;
}
