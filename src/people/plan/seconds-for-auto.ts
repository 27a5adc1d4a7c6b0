import type { AutoRate } from "../../job/contracts/auto-rate.ts";

/**
 * Seconds until so many messages have gone to one host whose rate is learned, if all of them go as fast as it
 * lets them and none fails again. `perSecond`: its rate now. Pure.
 */
export function secondsForAuto(
  count: number,
  { fromPerSecond, toPerSecond, watchMs }: AutoRate,
  perSecond = fromPerSecond,
): number {
  const watchSeconds = watchMs / 1_000;
  let left = count;
  let seconds = 0;
  let rate = perSecond;
  while (rate < toPerSecond && left > rate * watchSeconds) {
    left -= rate * watchSeconds;
    seconds += watchSeconds;
    rate = Math.min(2 * rate, toPerSecond);
  }
  return seconds + left / rate;
}
