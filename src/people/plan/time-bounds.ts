/** What the publishes of a plan wait for, and for how long. Pure. */
import type { LimitsConfig } from "../../job/contracts/drains-document.ts";
import type { Origin } from "../../job/contracts/lanes.ts";
import type { Rate } from "../../job/rules/rule-spec.ts";
import { countOf, inOrder } from "./due-times.ts";
import type { DayCeiling } from "./guards-and-ceilings.ts";
import { finishOf, noLimit, toSteadyPace, type HostRate } from "./pace.ts";
import { notBefore, type DestinationTimes } from "./schedule-destinations.ts";

/** So many publishes at this rate take `ms`. */
interface RateWork {
  readonly rate: Rate;
  readonly publishes: number;
  readonly ms: number;
}

export type Bound =
  | { readonly kind: "calls" }
  | (RateWork & { readonly kind: "publish" })
  | (RateWork & { readonly kind: "host"; readonly host: string; readonly isRateLearned?: boolean })
  | (RateWork & { readonly kind: "rule"; readonly rule: string })
  | { readonly kind: "day"; readonly limit: number }
  /** The steps of this lane, until it is open. */
  | { readonly kind: "lane"; readonly origin: Origin; readonly ms: number }
  /** Most of the time is the wait until the last of them is due. */
  | { readonly kind: "due"; readonly inMs: number };

export interface TimedBound {
  readonly ms: number;
  readonly bound: Bound;
}

/** By its lane, or by its host's rate. */
export function hostBound(
  { work: { origin, host }, isCounted, openInMs, free, finishMs, hostPublishes }: DestinationTimes,
  perHost: HostRate | null,
): TimedBound {
  const ms = isCounted ? finishMs : finishOf(free, perHost?.pace ?? noLimit);
  if (isCounted && origin !== null && openInMs > ms / 2) {
    return { ms, bound: { kind: "lane", origin, ms: openInMs } };
  }
  if (perHost === null || origin === null) return { ms, bound: { kind: "calls" } };
  const { rate, isLearned: isRateLearned, pace } = perHost;
  const bound = { kind: "host", rate, isRateLearned, host, publishes: hostPublishes } as const;
  return { ms, bound: { ...bound, ms: pace(hostPublishes, 0) } };
}

/** None without such a limit. */
export function publishBounds(
  { publish }: LimitsConfig,
  schedules: readonly DestinationTimes[],
): readonly TimedBound[] {
  if (publish === undefined) return [];
  const arrivals = inOrder(schedules.flatMap(({ free }) => free));
  const publishes = countOf(arrivals);
  const pace = toSteadyPace(publish);
  const bound = { kind: "publish", rate: publish, publishes, ms: pace(publishes, 0) } as const;
  return [{ ms: finishOf(arrivals, pace), bound }];
}

export function ruleBound(rule: string, rate: Rate, schedules: readonly DestinationTimes[]): TimedBound {
  const counted = schedules.filter(({ isCounted }) => isCounted);
  const arrivals = counted.flatMap(({ work, openInMs }) =>
    work.rules.flatMap((one) => (one.rule === rule ? notBefore(one.arrivals, openInMs) : [])),
  );
  const publishes = countOf(arrivals);
  const pace = toSteadyPace(rate);
  const bound = { kind: "rule", rate, rule, publishes, ms: pace(publishes, 0) } as const;
  return { ms: finishOf(inOrder(arrivals), pace), bound };
}

/** Null unless the last of them becomes due after more than half of that time. */
export function dueBound(schedules: readonly DestinationTimes[], ms: number): TimedBound | null {
  const counted = schedules.filter(({ isCounted }) => isCounted);
  const inMs = Math.max(0, ...counted.map(({ work }) => work.arrivals.at(-1)?.inMs ?? 0));
  return inMs > ms / 2 ? { ms, bound: { kind: "due", inMs } } : null;
}

/** The first of the longest. */
export function longestOf(bounds: readonly TimedBound[]): TimedBound {
  return bounds.reduce((one, other) => (other.ms > one.ms ? other : one));
}

/**
 * Destinations take turns in the rate of all: when one is done, each other has sent as many, or is done. Ms
 * from the plan's moment, by destination.
 */
export function turnsOf(
  schedules: readonly DestinationTimes[],
  { publish }: LimitsConfig,
): readonly number[] {
  if (publish === undefined) return schedules.map(() => 0);
  const pace = toSteadyPace(publish);
  return schedules.map(({ free, finishMs }) => {
    const own = countOf(free);
    // What becomes free only afterwards takes no turn from it.
    const meanwhile = schedules.map((other) => countOf(other.free.filter(({ inMs }) => inMs < finishMs)));
    const sent = meanwhile.reduce((sum, count) => sum + Math.min(own, count), 0);
    return (free[0]?.inMs ?? 0) + pace(sent, 0);
  });
}

const dayMs = 86_400_000;

/** The number of days, the time until the last of them begins, and the number of publishes on that one. */
export function spreadOverDays(count: number, ceiling: DayCeiling | null) {
  if (ceiling === null || count <= ceiling.left) return { days: 1, waitMs: 0, lastCount: count, limit: 0 };
  const { limit, left, endsInMs } = ceiling;
  const later = Math.ceil((count - left) / limit);
  return {
    days: later + (left > 0 ? 1 : 0),
    waitMs: endsInMs + (later - 1) * dayMs,
    lastCount: count - left - (later - 1) * limit,
    limit,
  };
}
