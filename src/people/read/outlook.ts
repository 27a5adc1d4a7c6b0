import type { DrainFacts } from "../../job/contracts/passes.ts";
import type { Destination } from "../../job/contracts/queue-facts.ts";
import type { LaneStanding } from "./lane-standings.ts";
import type { HoldReason } from "../../job/rules/decision.ts";
import { sumOf } from "./totals.ts";

export interface DestinationOutlook extends Destination {
  /** Null: the drain has no lanes, or too many destinations to ask each. */
  readonly lane: LaneStanding | null;
  readonly isPaused: boolean;
}

export type Outlook = ReturnType<typeof toOutlook>;

type Reasons = Pick<DrainFacts, "reasons"> | null;

/** Nothing but another document, or a person, ends these holds. */
const heldByRules: readonly HoldReason[] = ["rule", "otherwise"];

const slotMs = 10_000;
const spanMs = 60_000;
const minSpanMs = 5_000;

/** Of those that wait: held until somebody changes a rule. */
export function toHeldByRules(facts: Reasons, waiting: number): number {
  return Math.min(waiting, countHeld(facts, heldByRules));
}

function countHeld(facts: Reasons, reasons: readonly HoldReason[]): number {
  return sumOf(reasons, (reason) => facts?.reasons.held[reason] ?? 0);
}

export type LeftAlone = ReturnType<typeof toLeftAlone>;

/** Without those of a pause, which end with it. */
const forPersonAlone: readonly HoldReason[] = ["attempts-exhausted", "implausible-date"];
const leftToPersons: readonly HoldReason[] = [...forPersonAlone, "host-paused"];
const cooled: readonly HoldReason[] = ["refused-alone", "cooling"];
/** If more cool at once, the service refuses and not the message: they go when it accepts again. */
const maxCoolingAlone = 9;

/** Of those that wait, besides what rules hold: what the drain will not publish within its ordinary waits. */
export function toLeftAlone(facts: Reasons, waiting: number) {
  const left = waiting - toHeldByRules(facts, waiting);
  const forPerson = Math.min(left, countHeld(facts, leftToPersons));
  const cooling = countHeld(facts, cooled);
  return {
    /** Their attempts are used up, or a person has paused their destination. */
    forPerson,
    /** Single messages that the service refused, so they are tried rarely. */
    cooling: cooling > maxCoolingAlone ? 0 : Math.min(left - forPerson, cooling),
  };
}

/**
 * What a drain's backlog comes to. Pure. `stillCounting`: more may wait than was listed so far. `now`: Unix ms. `open`:
 * of the ledger now. `isAway`: no replica works with the service, whatever it published in the minute before.
 */
export function toOutlook(
  facts: Pick<DrainFacts, "pace" | "backlog" | "reasons" | "gone" | "lastFullAt"> | null,
  destinations: readonly DestinationOutlook[],
  {
    stillCounting,
    now,
    open,
    isAway,
  }: Readonly<Record<"stillCounting" | "isAway", boolean> & Record<"now" | "open", number>>,
) {
  const waiting = sumOf(destinations, (one) => one.waiting);
  const ofStopped = sumOf(destinations, (one) =>
    one.isPaused || one.lane?.state === "halted" ? one.waiting : 0,
  );
  const stoppedWaiting = ofStopped + toPausedKinds(facts, ofStopped);
  const ruled = toHeldByRules(facts, waiting);
  // What is stopped may have waited for its attempt when it was last listed, and is counted as stopped.
  let alreadyCounted = ofStopped;
  const leftOf = (count: number): number => {
    const left = Math.max(0, count - alreadyCounted);
    alreadyCounted = Math.max(0, alreadyCounted - count);
    return left;
  };
  const heldFor = (...reasons: readonly HoldReason[]): number => leftOf(countHeld(facts, reasons));
  const waitingForAttempt = heldFor("waiting");
  const waitingForPerson = heldFor(...forPersonAlone);
  const waitingForDate = heldFor("not-before");
  const waitingAfterRefusal = heldFor(...cooled);
  const waitingForDay = leftOf(facts?.reasons.due["day-limit"] ?? 0);
  const standing =
    ruled +
    stoppedWaiting +
    waitingForAttempt +
    waitingForPerson +
    waitingForDate +
    waitingAfterRefusal +
    waitingForDay;
  const waitingForProof = Math.min(open, waiting);
  const going = Math.max(0, waiting - standing - waitingForProof);
  // What the service does not take goes at no rate.
  const isTaken = countHeld(facts, ["still-under-way"]) < going;
  const rate = facts === null || isAway ? null : toRate(facts.pace, now);
  const isKnown = rate?.isOfMinute === true && !stillCounting && isTaken;
  return {
    /** In the DLQ and not parked. */
    waiting,
    /** Of those: held until somebody changes a rule. */
    heldByRules: ruled,
    /** When a full pass last counted them, Unix ms; arrivals since are added. Null: the first goes on, and has met so many. */
    heldByRulesAt: facts?.gone === null ? facts.lastFullAt : null,
    /** Of those: for destinations whose lane is halted, or that a person paused; or of a kind that a person paused. */
    stoppedWaiting,
    /** Of the others at least: came back, and the wait before their next attempt is not over. */
    waitingForAttempt,
    /** Of the others: nothing but a person ends their hold. */
    waitingForPerson,
    /** Of the others: not before a date of their own. */
    waitingForDate,
    /** Of the others: the service refused them, and they are tried again after a pause. */
    waitingAfterRefusal,
    /** Of the others: `limits.perDay` is reached, so until midnight in UTC. */
    waitingForDay,
    /** Sent, and neither proven nor refused yet: in flight, or in doubt. */
    waitingForProof,
    /** The others: only limits, lanes and the first minutes hold them. */
    going,
    /** Waiting, and published since something waits: the size of the backlog. */
    backlog: waiting + (facts?.backlog?.published ?? 0),
    /** Over the last minute at most; null: nothing was published, or for too short a time to say, or the service is away. */
    perSecond: rate?.perSecond ?? null,
    /**
     * Ms that `going` takes at that rate. Null: it was not measured for a whole minute yet, nothing goes, more may wait
     * than was listed so far, or the service is behind and takes none of them.
     */
    atRateMs: isKnown ? Math.ceil((going / rate.perSecond) * 1_000) : null,
  };
}

/** Of paused kinds of failure, as last listed: held as paused, and for no destination that is stopped. */
function toPausedKinds(facts: Reasons, ofStopped: number): number {
  const held = facts?.reasons.held ?? {};
  const ofPausedHosts = Math.max(0, ofStopped - (held["lane-halted"] ?? 0));
  return Math.max(0, (held["host-paused"] ?? 0) - ofPausedHosts);
}

/** Publishes per second of the last minute, or since the first of them. Null: none, or for too short a time. */
function toRate(pace: DrainFacts["pace"], now: number) {
  const fromSlot = Math.floor((now - spanMs) / slotMs);
  const count = sumOf(Object.entries(pace), ([slot, published]) => (Number(slot) < fromSlot ? 0 : published));
  // Slots of more than a minute ago are still there, and then the whole minute was measured.
  const first = Math.min(...Object.keys(pace).map(Number));
  const overMs = now - Math.max(first, fromSlot) * slotMs;
  if (count === 0 || overMs < minSpanMs) return null;
  return { perSecond: (count / overMs) * 1_000, isOfMinute: overMs >= spanMs };
}
