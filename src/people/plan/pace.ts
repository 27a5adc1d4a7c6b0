import { isAutoRate, startRateOf, type AutoRate } from "../../job/contracts/auto-rate.ts";
import { secondsForAuto } from "./seconds-for-auto.ts";
import type { LimitsConfig } from "../../job/contracts/drains-document.ts";
import type { Rate } from "../../job/rules/rule-spec.ts";
import type { Arrival } from "./due-times.ts";

/**
 * Ms that so many publishes take, if the first of them goes `sinceMs` after the first of all. A pace that
 * changes with time needs `sinceMs`; a steady one does not.
 */
export type Pace = (count: number, sinceMs: number) => number;

export function toSteadyPace({ count: allowed, perMs }: Rate): Pace {
  return (count) => (count / allowed) * perMs;
}

/** Without a limit only calls take time, and these are counted together. */
export const noLimit: Pace = () => 0;

/** What a host may get: the rate that is shown, and its pace. */
export interface HostRate {
  /** Of a learned one that of its beginning. */
  readonly rate: Rate;
  readonly isLearned: boolean;
  readonly pace: Pace;
}

/** Null without such a limit. `perSecond`: what was learned of the host; absent: nothing. */
export function toHostRate({ perHost }: LimitsConfig, perSecond?: number): HostRate | null {
  if (perHost === undefined) return null;
  if (!isAutoRate(perHost)) return { rate: perHost, isLearned: false, pace: toSteadyPace(perHost) };
  return { rate: startRateOf(perHost), isLearned: true, pace: toLearningPace(perHost, perSecond) };
}

/** As if all of them went as fast as the rate lets them, and none failed again. */
function toLearningPace(rate: AutoRate, perSecond = rate.fromPerSecond): Pace {
  return (count, sinceMs) => {
    const doubled = perSecond * 2 ** Math.floor(sinceMs / rate.watchMs);
    return secondsForAuto(count, rate, Math.min(doubled, rate.toPerSecond)) * 1_000;
  };
}

/** Ms from the plan's moment until all have gone, in order, each not before it is due. */
export function finishOf(arrivals: readonly Arrival[], pace: Pace): number {
  const startMs = arrivals[0]?.inMs ?? 0;
  return arrivals.reduce((atMs, { inMs, count }) => {
    const begin = Math.max(atMs, inMs);
    return begin + pace(count, begin - startMs);
  }, 0);
}
