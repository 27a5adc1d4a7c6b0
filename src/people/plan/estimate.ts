/**
 * How long a plan's publishes take. Each destination has its own rate and its own lane, and all share the
 * drain's rate, the rates of rules and the day's ceiling:
 *
 *   due now, or later ─► its lane's steps ─► its host's rate ─┬─► publish, rules, perDay ─► the whole
 *   its lane is halted ─► its own time, from its next probe   └─► (not counted in the whole)
 *
 * Nothing is assumed to fail again, and guards open at an unknown time. Pure.
 */
import type { LaneConfig, LimitsConfig } from "../../job/contracts/drains-document.ts";
import type { Rate } from "../../job/rules/rule-spec.ts";
import { countOf, type Arrival } from "./due-times.ts";
import type { Room } from "./guards-and-ceilings.ts";
import { noLimit, type HostRate } from "./pace.ts";
import {
  scheduleDestinations,
  type DestinationWork,
  type DestinationTimes,
} from "./schedule-destinations.ts";
import {
  dueBound,
  hostBound,
  longestOf,
  publishBounds,
  ruleBound,
  spreadOverDays,
  turnsOf,
} from "./time-bounds.ts";

export type Estimate = ReturnType<typeof estimate>;
export type DestinationEstimate = ReturnType<typeof toRow>;

export interface EstimateInput {
  readonly limits: LimitsConfig;
  /** Null without such a limit. Its pace may change with time. */
  readonly perHost: HostRate | null;
  /** Of rules that have one, by name. */
  readonly ruleRates: ReadonlyMap<string, Rate>;
  readonly lane: Pick<LaneConfig, "canary" | "watchMs" | "openFrom"> | null;
  readonly destinations: readonly DestinationWork[];
  readonly room: Pick<Room, "perDay">;
  readonly listed: number;
  readonly worstBilled: number;
  /** Deletes without a publish. */
  readonly otherDeletes: number;
  readonly itemsPerPublish: number;
}

const idsPerCall = 100;
/** One request and its answer: 100 ms within the region, half as much for Redis and work between. */
const assumedCallMs = 150;
/** Destinations that are shown one by one. */
const maxShown = 8;

/** The cost of acting on everything that is due now, and on what becomes due by time alone. */
export function estimate(input: EstimateInput) {
  const { limits, destinations } = input;
  const { schedules, ms, bound, days } = timeOf(input, destinations);
  const all = sumOf(destinations, ({ arrivals }) => countOf(arrivals));
  const publishes = sumOf(destinations, ({ arrivals }) => countOf(dueNow(arrivals)));
  const waiting = schedules.filter(({ isCounted }) => !isCounted);
  const later = toLater(
    schedules.filter(({ isCounted }) => isCounted),
    ms,
  );
  return {
    /** Due now. */
    publishes,
    /** Attempts that the service bills: when each first one succeeds, and when every one fails. */
    billed: { best: all, worst: input.worstBilled },
    calls: callsFor(input, all),
    /** Until everything that is counted has gone, due now or later. */
    durationMs: Math.ceil(ms),
    /** The same, if nothing else became due. */
    nowMs: Math.ceil(later === null ? ms : timeOf(input, destinations.map(asDueNow)).ms),
    /** What becomes due by time alone, if its lane is not halted; null without any. */
    later,
    /** It lasts longer than `durationMs`, because some wait for halted lanes. */
    atLeast: waiting.length > 0,
    /** What waits for halted lanes: charged to no other destination, and not to the whole. */
    notCounted: toNotCounted(waiting),
    boundBy: bound,
    destinations: toDestinations(schedules.map((one) => toRow(one, input.perHost))),
    /** Passes that an unattended drain needs under `perPass`; 1 without such a ceiling. */
    passes: limits.perPass === undefined ? 1 : Math.max(1, Math.ceil(firstOf(schedules) / limits.perPass)),
    /** UTC days with publishes, by the remainder of `perDay` today; 1 without that ceiling. */
    days,
  };
}

function timeOf(input: EstimateInput, destinations: readonly DestinationWork[]) {
  const { limits, lane, perHost, ruleRates } = input;
  const free = scheduleDestinations(destinations, lane, perHost?.pace ?? noLimit);
  const total = sumOf(free, (one) => countOf(one.free));
  const calls = callsFor(input, total);
  const callsMs = (calls.list + calls.publish + calls.remove) * assumedCallMs;
  const rates = longestOf([
    { ms: callsMs, bound: { kind: "calls" } },
    ...publishBounds(limits, free),
    ...free.map((one) => hostBound(one, perHost)),
    ...[...ruleRates].map(([rule, rate]) => ruleBound(rule, rate, free)),
  ]);
  const { days, waitMs, lastCount, limit } = spreadOverDays(firstOf(free), input.room.perDay);
  const byDayMs = waitMs + rates.ms * (lastCount / Math.max(1, total));
  const longest = dueBound(free, rates.ms) ?? rates;
  const turns = turnsOf(free, limits);
  const schedules = free.map((one, index) => {
    return one.isCounted ? { ...one, finishMs: Math.max(one.finishMs, turns[index] ?? 0) } : one;
  });
  const whole = waitMs === 0 ? longest : longestOf([longest, { ms: byDayMs, bound: { kind: "day", limit } }]);
  return { schedules, days, ...whole };
}

function toRow({ work, isCounted, finishMs }: DestinationTimes, perHost: HostRate | null) {
  const { origin, lane, arrivals } = work;
  const publishes = countOf(dueNow(arrivals));
  return {
    origin,
    /** Due now. */
    publishes,
    /** Due later, by time alone. */
    later: countOf(arrivals) - publishes,
    rate: perHost?.rate ?? null,
    /** The rate is what it begins with: `perHost: auto`. */
    isRateLearned: perHost?.isLearned ?? false,
    lane: lane === null ? null : { state: lane.state, nextInMs: lane.nextInMs },
    /** Until the last of them has gone. If it is not counted: if its next probe is delivered. */
    durationMs: Math.ceil(finishMs),
    /** False if its lane is halted: the whole does not wait for it. */
    isCounted,
  };
}

function toDestinations(rows: readonly DestinationEstimate[]) {
  const apart = rows.filter(({ origin }) => origin !== null);
  const top = apart
    .toSorted((one, other) => other.publishes + other.later - one.publishes - one.later)
    .slice(0, maxShown);
  const rest = rows.filter((row) => !top.includes(row));
  return {
    /** Those with most publishes, also later ones. */
    top,
    more: {
      /** How many others, as far as they are counted apart. */
      destinations: rest.length,
      publishes: sumOf(rest, ({ publishes }) => publishes),
      later: sumOf(rest, ({ later }) => later),
      durationMs: Math.max(0, ...rest.map((row) => (row.isCounted ? row.durationMs : 0))),
      /** Of those: of halted lanes. */
      notCounted: rest.filter((row) => !row.isCounted).length,
    },
  };
}

function toLater(counted: readonly DestinationTimes[], durationMs: number) {
  const times = counted.flatMap(({ work: { arrivals, earliestMs } }) =>
    earliestMs === null ? [] : [{ earliestMs, latestMs: arrivals.at(-1)?.inMs ?? 0 }],
  );
  if (times.length === 0) return null;
  const toMs = Math.max(...times.map(({ latestMs }) => latestMs));
  return {
    publishes: sumOf(counted, ({ work: { arrivals } }) => countOf(arrivals) - countOf(dueNow(arrivals))),
    /** Ms until the first and the last of them are due. */
    fromMs: Math.min(...times.map(({ earliestMs }) => earliestMs)),
    toMs,
    /** From when the last of them is due until all that is counted has gone. */
    workMs: Math.max(0, Math.ceil(durationMs) - toMs),
  };
}

function toNotCounted(halted: readonly DestinationTimes[]) {
  const [busiest] = halted.toSorted((one, other) => waitingOf(other) - waitingOf(one));
  if (busiest === undefined) return null;
  const { origin, lane } = busiest.work;
  return {
    destinations: halted.length,
    publishes: sumOf(halted, waitingOf),
    /** The one with most of them. */
    origin,
    /** Ms until its next probe, or until the sent one is judged. */
    nextInMs: lane?.nextInMs ?? 0,
    isProbeOut: lane !== null && lane.sent > 0,
  };
}

/** For its lane. */
function waitingOf({ work }: DestinationTimes): number {
  return countOf(work.arrivals) - work.again;
}

function callsFor({ listed, otherDeletes, itemsPerPublish }: EstimateInput, publishes: number) {
  return {
    list: Math.max(1, Math.ceil(listed / idsPerCall)),
    publish: Math.ceil(publishes / itemsPerPublish),
    remove: Math.ceil((publishes + otherDeletes) / idsPerCall),
  };
}

/** Counted by ceilings. */
function firstOf(schedules: readonly DestinationTimes[]): number {
  return sumOf(schedules, ({ free, work }) => countOf(free) - work.again);
}

function dueNow(arrivals: readonly Arrival[]): readonly Arrival[] {
  return arrivals.filter(({ inMs }) => inMs === 0);
}

function asDueNow(work: DestinationWork): DestinationWork {
  const rules = work.rules.map(({ rule, arrivals }) => ({ rule, arrivals: dueNow(arrivals) }));
  return { ...work, arrivals: dueNow(work.arrivals), earliestMs: null, rules };
}

function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}
