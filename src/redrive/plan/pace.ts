import type { LimitsConfig } from "../../ports/drains-document.ts";
import type { Rate } from "../../rules/rule-spec.ts";
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
  readonly rate: Rate;
  readonly pace: Pace;
}

/** Null without such a limit. */
export function toHostRate({ perHost }: LimitsConfig): HostRate | null {
  return perHost === undefined ? null : { rate: perHost, pace: toSteadyPace(perHost) };
}

/** Ms from the plan's moment until all have gone, in order, each not before it is due. */
export function finishOf(arrivals: readonly Arrival[], pace: Pace): number {
  const startMs = arrivals[0]?.inMs ?? 0;
  return arrivals.reduce((atMs, { inMs, count }) => {
    const begin = Math.max(atMs, inMs);
    return begin + pace(count, begin - startMs);
  }, 0);
}
