import { isAutoRate, startRateOf } from "../../ports/auto-rate.ts";
import type { LimitsConfig } from "../../ports/drains-document.ts";
import type { Rate } from "../../rules/rule-spec.ts";
import type { LaneWaits } from "./lane-waits.ts";
import type { DayCeiling, Room } from "./guards-and-ceilings.ts";
import { secondsForAuto } from "./seconds-for-auto.ts";

export type Estimate = ReturnType<typeof estimate>;

export type Bound =
  | { readonly kind: "calls" }
  | { readonly kind: "publish"; readonly rate: Rate }
  | { readonly kind: "host"; readonly rate: Rate; readonly host: string }
  | { readonly kind: "rule"; readonly rate: Rate; readonly rule: string }
  | { readonly kind: "day"; readonly limit: number }
  | { readonly kind: "lane"; readonly origin: string };

export interface EstimateInput {
  readonly limits: LimitsConfig;
  readonly listed: number;
  readonly publishes: number;
  /** Of those: published for the first time, which ceilings count. */
  readonly firstPublishes: number;
  readonly room: Pick<Room, "perDay">;
  readonly lanes: LaneWaits | null;
  readonly worstBilled: number;
  readonly deletes: number;
  readonly itemsPerPublish: number;
  /** Publishes of the host with most of them. */
  readonly busiestHost: { readonly host: string; readonly count: number } | null;
  readonly rules: readonly { readonly rule: string; readonly rate: Rate; readonly count: number }[];
}

interface TimedBound {
  readonly ms: number;
  readonly bound: Bound;
}

const idsPerCall = 100;
/** One request and its answer: 100 ms within the region, half as much for Redis and work between. */
const assumedCallMs = 150;

/** The cost of acting on everything that is due now. */
export function estimate(input: EstimateInput) {
  const { limits, publishes, firstPublishes } = input;
  const calls = {
    list: Math.max(1, Math.ceil(input.listed / idsPerCall)),
    publish: Math.ceil(publishes / input.itemsPerPublish),
    remove: Math.ceil(input.deletes / idsPerCall),
  };
  const bounds: TimedBound[] = [
    { ms: (calls.list + calls.publish + calls.remove) * assumedCallMs, bound: { kind: "calls" } },
  ];
  if (limits.publish !== undefined) {
    bounds.push({ ms: timeFor(publishes, limits.publish), bound: { kind: "publish", rate: limits.publish } });
  }
  if (limits.perHost !== undefined && input.busiestHost !== null) {
    const { host, count } = input.busiestHost;
    const { perHost } = limits;
    const rate = startRateOf(perHost);
    const ms = isAutoRate(perHost) ? secondsForAuto(count, perHost) * 1_000 : timeFor(count, rate);
    bounds.push({ ms, bound: { kind: "host", rate, host } });
  }
  for (const { rule, rate, count } of input.rules) {
    bounds.push({ ms: timeFor(count, rate), bound: { kind: "rule", rate, rule } });
  }
  const rates = maxOf(bounds);
  const { days, waitMs, lastCount, limit } = spread(firstPublishes, input.room.perDay);
  const byDayMs = waitMs + rates.ms * (lastCount / Math.max(1, publishes));
  if (waitMs > 0) bounds.push({ ms: byDayMs, bound: { kind: "day", limit } });
  const waitedFor = (input.lanes?.lanes ?? []).filter(({ due, state }) => due > 0 && state !== "open");
  for (const { origin, nextInMs } of waitedFor) {
    bounds.push({ ms: nextInMs, bound: { kind: "lane", origin } });
  }
  const longest = maxOf(bounds);
  return {
    publishes,
    /** Attempts that the service bills: when each first one succeeds, and when every one fails. */
    billed: { best: publishes, worst: input.worstBilled },
    calls,
    /** By rates, the remainder of today's ceiling and lanes. Guards open at an unknown time. */
    durationMs: Math.ceil(longest.ms),
    /** It lasts longer than `durationMs` by the steps and probes of lanes that are not open. */
    atLeast: waitedFor.length > 0 || (input.lanes?.more.due ?? 0) > 0,
    boundBy: longest.bound,
    /** Passes that an unattended drain needs under `perPass`; 1 without such a ceiling. */
    passes: limits.perPass === undefined ? 1 : Math.max(1, Math.ceil(firstPublishes / limits.perPass)),
    /** UTC days with publishes, by the remainder of `perDay` today; 1 without that ceiling. */
    days,
  };
}

/** The first of the longest. */
function maxOf(bounds: readonly TimedBound[]): TimedBound {
  return bounds.reduce((one, other) => (other.ms > one.ms ? other : one));
}

const dayMs = 86_400_000;

/** The number of days, the time until the last of them begins, and the number of publishes on that one. */
function spread(count: number, ceiling: DayCeiling | null) {
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

/** Ms until so many have gone at this rate. */
function timeFor(count: number, { count: allowed, perMs }: Rate): number {
  return (count / allowed) * perMs;
}
