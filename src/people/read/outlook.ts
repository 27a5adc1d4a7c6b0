import { hostOf } from "../../job/message/destination-url.ts";
import { isAutoRate } from "../../job/contracts/auto-rate.ts";
import type { LaneConfig, LimitsConfig } from "../../job/contracts/drains-document.ts";
import { emptyTally } from "../../job/contracts/tally.ts";
import type { DrainFacts } from "../../job/contracts/passes.ts";
import type { Destination } from "../../job/contracts/queue-facts.ts";
import { lateCheckMs } from "../../job/contracts/lanes.ts";
import { toGapMs, toLeftBehind, toStartMs, type PassTimes } from "./pass-gaps.ts";
import type { LaneStanding } from "../plan/lane-standings.ts";
import { noLimit, toHostRate, toSteadyPace } from "../plan/pace.ts";
import { scheduleDestinations, type DestinationWork } from "../plan/schedule-destinations.ts";
import type { HoldReason } from "../../job/rules/decision.ts";

export interface DestinationOutlook extends Destination {
  /** Null: the drain has no lanes, or too many destinations to ask each. */
  readonly lane: LaneStanding | null;
  /** By a person. */
  readonly isPaused: boolean;
}

export interface Outlook {
  /** In the DLQ and not parked. */
  readonly waiting: number;
  /** Of those: held until somebody changes a rule. */
  readonly heldByRules: number;
  /** Of those: for destinations whose lane is halted, or that a person paused; or of a kind that a person paused. */
  readonly stoppedWaiting: number;
  /** Of the others at least: came back, and the wait before their next attempt is not over. */
  readonly waitingForAttempt: number;
  /** Of the others: nothing but a person ends their hold. */
  readonly waitingForPerson: number;
  /** Of the others: not before a date of their own. */
  readonly waitingForDate: number;
  /** The others: only limits, lanes and the first minutes hold them. */
  readonly going: number;
  /** Waiting, and published since something waits: the size of the backlog. */
  readonly backlog: number;
  /** Over the last minute at most; null: nothing was published, or for too short a time to say. */
  readonly perSecond: number | null;
  /**
   * Ms until `going` is 0, by limits and lanes, or at that rate if it takes longer; null: not known, as while the
   * service is behind and takes none of them.
   */
  readonly doneInMs: number | null;
}

/** Nothing but another document, or a person, ends these holds. */
const heldByRules: readonly HoldReason[] = ["rule", "otherwise"];

const slotMs = 10_000;
const spanMs = 60_000;
const minSpanMs = 5_000;

/** Of those that wait: held until somebody changes a rule. */
export function toHeldByRules(facts: Pick<DrainFacts, "reasons"> | null, waiting: number): number {
  const reasons = facts?.reasons.held ?? {};
  return Math.min(
    waiting,
    heldByRules.reduce((sum, reason) => sum + (reasons[reason] ?? 0), 0),
  );
}

/** Waits that are not ordinary ones of the drain: when they end, it is another backlog. */
export interface LeftAlone {
  /** Their attempts are used up, or a person has paused their destination. */
  readonly forPerson: number;
  /** Single messages that the service refused, so they are tried rarely. */
  readonly cooling: number;
}

/** Without those of a pause, which end with it. */
const forPersonAlone: readonly HoldReason[] = ["attempts-exhausted", "implausible-date"];
const leftToPersons: readonly HoldReason[] = [...forPersonAlone, "host-paused"];
const coolingAlone: readonly HoldReason[] = ["refused-alone", "cooling"];
/** If more cool at once, the service refuses and not the message: they go when it accepts again. */
const maxCoolingAlone = 9;

/** Of those that wait, besides what rules hold: what the drain will not publish within its ordinary waits. */
export function toLeftAlone(facts: Pick<DrainFacts, "reasons"> | null, waiting: number): LeftAlone {
  const countOf = (reasons: readonly HoldReason[]): number =>
    reasons.reduce((sum, reason) => sum + (facts?.reasons.held[reason] ?? 0), 0);
  const left = waiting - toHeldByRules(facts, waiting);
  const forPerson = Math.min(left, countOf(leftToPersons));
  const cooling = countOf(coolingAlone);
  return { forPerson, cooling: cooling > maxCoolingAlone ? 0 : Math.min(left - forPerson, cooling) };
}

export interface OutlookConfig {
  readonly limits: LimitsConfig;
  readonly lane?: LaneConfig | undefined;
  /** Messages per second that were learned, by host. */
  readonly learned?: ReadonlyMap<string, number>;
  /** Absent: a pass is always open. */
  readonly passes?: PassTimes;
  /** More may wait than was listed so far, and the end is not known. */
  readonly stillCounting?: boolean;
}

/** What a drain's backlog comes to. Pure. `now`: Unix ms. */
export function toOutlook(
  facts: Pick<DrainFacts, "pace" | "backlog" | "reasons"> | null,
  destinations: readonly DestinationOutlook[],
  config: OutlookConfig,
  now: number,
): Outlook {
  let waiting = 0;
  let ofStopped = 0;
  for (const one of destinations) {
    waiting += one.waiting;
    if (isStopped(one)) ofStopped += one.waiting;
  }
  const stoppedWaiting = ofStopped + toPausedKinds(facts, ofStopped);
  const ruled = toHeldByRules(facts, waiting);
  // What is stopped may have waited for its attempt when it was last listed, and is counted as stopped.
  let alreadyCounted = ofStopped;
  const heldFor = (...reasons: readonly HoldReason[]): number => {
    const count = reasons.reduce((sum, reason) => sum + (facts?.reasons.held[reason] ?? 0), 0);
    const left = Math.max(0, count - alreadyCounted);
    alreadyCounted = Math.max(0, alreadyCounted - count);
    return left;
  };
  const waitingForAttempt = heldFor("waiting");
  const waitingForPerson = heldFor(...forPersonAlone);
  const waitingForDate = heldFor("not-before");
  const standing = ruled + stoppedWaiting + waitingForAttempt + waitingForPerson + waitingForDate;
  const going = Math.max(0, waiting - standing);
  const isBehind = (facts?.reasons.held["still-under-way"] ?? 0) >= going;
  const perSecond = facts === null ? null : toRate(facts.pace, now);
  return {
    waiting,
    heldByRules: ruled,
    stoppedWaiting,
    waitingForAttempt,
    waitingForPerson,
    waitingForDate,
    going,
    backlog: waiting + (facts?.backlog?.published ?? 0),
    perSecond,
    doneInMs:
      config.stillCounting === true || isBehind ? null : toDoneInMs(going, perSecond, destinations, config),
  };
}

/** Of paused kinds of failure, as last listed: held as paused, and for no destination that is stopped. */
function toPausedKinds(facts: Pick<DrainFacts, "reasons"> | null, ofStopped: number): number {
  const held = facts?.reasons.held ?? {};
  const ofPausedHosts = Math.max(0, ofStopped - (held["lane-halted"] ?? 0));
  return Math.max(0, (held["host-paused"] ?? 0) - ofPausedHosts);
}

/** A listing check that is due comes within 15 s (`lateCheckMs`), and mostly within this. */
const usualCheckMs = 3_000;

const alwaysOpen: PassTimes = {
  openPass: { soFar: emptyTally },
  nextInMs: null,
  everyMs: null,
};

/**
 * By limits and by the steps of lanes, as a plan estimates them, from pass to pass. The rate of the last
 * minute counts only if no limit is set, or if all lanes were open for that long: steps are slow. It does not
 * count while a learned rate is what it was: the rate doubles with the next watch.
 */
function toDoneInMs(
  going: number,
  perSecond: number | null,
  destinations: readonly DestinationOutlook[],
  { limits, lane, learned = new Map(), passes = alwaysOpen }: OutlookConfig,
): number | null {
  if (going === 0) return null;
  const counted = destinations.filter((one) => one.waiting > 0 && !isStopped(one));
  const waiting = counted.reduce((sum, one) => sum + one.waiting, 0);
  const startMs = toStartMs(passes);
  const works = counted.map(({ origin, waiting: count, lane: standing }): DestinationWork => ({
    origin,
    host: origin.startsWith("queue:") ? origin : hostOf(origin),
    // What rules hold is spread over all of them.
    arrivals: [
      {
        inMs: opensItsPass(standing) ? 0 : startMs,
        count: Math.ceil((count * going) / Math.max(1, waiting)),
      },
    ],
    earliestMs: null,
    again: 0,
    rules: [],
    lane: standing?.nextInMs === lateCheckMs ? { ...standing, nextInMs: usualCheckMs } : standing,
  }));
  const schedules = works.flatMap((work) => {
    const pace = toHostRate(limits, learned.get(work.host))?.pace ?? noLimit;
    return scheduleDestinations([work], lane ?? null, pace);
  });
  const byDestinationMs = Math.max(0, ...schedules.map(({ finishMs }) => finishMs));
  const togetherMs = limits.publish === undefined ? 0 : startMs + toSteadyPace(limits.publish)(going, 0);
  const byLimitsMs = Math.max(byDestinationMs, togetherMs);
  const hosts = new Set(works.map(({ host }) => host));
  const isSteady =
    counted.every(({ lane: standing }) => isOpenFor(standing, spanMs)) &&
    !mayGrow(hosts, limits, learned, perSecond ?? 0);
  const isByRate = perSecond !== null && (byLimitsMs === startMs || isSteady);
  if (!isByRate && byLimitsMs === startMs) return null;
  const workMs = isByRate ? Math.max(byLimitsMs, startMs + (going / perSecond) * 1_000) : byLimitsMs;
  return Math.ceil(workMs + gapMs(going, workMs, passes));
}

/** What the open pass leaves behind goes last, after a gap. */
function gapMs(going: number, workMs: number, passes: PassTimes): number {
  const leftBehind = Math.min(going, toLeftBehind(passes));
  return leftBehind === 0 ? 0 : toGapMs(passes, workMs * (1 - leftBehind / going));
}

/** When the watch of its step ends, the next step gets a pass without waiting for the schedule. */
function opensItsPass(standing: LaneStanding | null): boolean {
  return standing !== null && standing.state !== "open" && standing.nextInMs > 0;
}

/** A host becomes faster only if it has used half of its rate. In the minute after that it has used a quarter. */
function mayGrow(
  hosts: ReadonlySet<string>,
  { perHost }: LimitsConfig,
  learned: ReadonlyMap<string, number>,
  perSecond: number,
): boolean {
  if (perHost === undefined || !isAutoRate(perHost)) return false;
  const rates = [...hosts].map((host) => learned.get(host) ?? perHost.fromPerSecond);
  const together = rates.reduce((sum, rate) => sum + rate, 0);
  return perSecond >= together / 4 && rates.some((rate) => rate < perHost.toPerSecond);
}

function isStopped({ lane, isPaused }: DestinationOutlook): boolean {
  return isPaused || lane?.state === "halted";
}

/** Also without a lane. */
function isOpenFor(standing: LaneStanding | null, ms: number): boolean {
  return standing === null || (standing.state === "open" && (standing.sinceMs ?? Infinity) >= ms);
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
