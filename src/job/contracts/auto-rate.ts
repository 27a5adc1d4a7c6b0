import type { Rate } from "../rules/rule-spec.ts";

/** `perHost: auto`: a rate per second that is learned for each host (capacity.ts, docs/rules.md). */
export interface AutoRate {
  /** Of a host that nothing is known of. It is never below a tenth of this, and never below 1. */
  readonly fromPerSecond: number;
  readonly toPerSecond: number;
  /** Time without failures after which it doubles: the lane's watch. */
  readonly watchMs: number;
}

/** `auto` alone. */
export const builtInAuto = { fromPerSecond: 10, toPerSecond: 100, watchMs: 60_000 } as const;

export function isAutoRate(rate: Rate | AutoRate): rate is AutoRate {
  return "fromPerSecond" in rate;
}

const secondMs = 1_000;

/** What a host has before anything is learned; a fixed rate as it is. */
export function startRateOf(rate: Rate | AutoRate): Rate {
  return isAutoRate(rate) ? { count: rate.fromPerSecond, perMs: secondMs } : rate;
}

export function topRateOf(rate: Rate | AutoRate): Rate {
  return isAutoRate(rate) ? { count: rate.toPerSecond, perMs: secondMs } : rate;
}

export function leastPerSecondOf({ fromPerSecond }: AutoRate): number {
  return Math.max(1, Math.floor(fromPerSecond / 10));
}
