import type { LimitsConfig } from "../../ports/drains.ts";
import type { Rate } from "../../rules/spec.ts";

/** What it would take to act on what is due now. */
export interface Estimate {
  readonly publishes: number;
  /** Attempts that the service bills: when each first one succeeds, and when every one fails. */
  readonly billed: { readonly best: number; readonly worst: number };
  /** Requests to the service. */
  readonly calls: { readonly list: number; readonly publish: number; readonly remove: number };
  readonly durationMs: number;
  readonly boundBy: Bound;
  /** Passes that an unattended drain needs under `perPass`; 1 without such a ceiling. */
  readonly passes: number;
  /** UTC days over which `perDay` spreads it; 1 without such a ceiling. */
  readonly days: number;
}

/** What takes longest. */
export type Bound =
  | { readonly kind: "calls" }
  | { readonly kind: "publish"; readonly rate: Rate }
  | { readonly kind: "host"; readonly rate: Rate; readonly host: string }
  | { readonly kind: "rule"; readonly rate: Rate; readonly rule: string };

export interface EstimateInput {
  readonly limits: LimitsConfig;
  readonly listed: number;
  readonly publishes: number;
  readonly worstBilled: number;
  readonly deletes: number;
  readonly itemsPerPublish: number;
  /** Publishes of the host with most of them. */
  readonly busiestHost: { readonly host: string; readonly count: number } | null;
  readonly rules: readonly { readonly rule: string; readonly rate: Rate; readonly count: number }[];
}

const idsPerCall = 100;
/** One request and its answer: 100 ms from within the region, half as much again for Redis and work in between. */
export const assumedCallMs = 150;

export function estimate(input: EstimateInput): Estimate {
  const { limits, publishes } = input;
  const calls = {
    list: Math.max(1, Math.ceil(input.listed / idsPerCall)),
    publish: Math.ceil(publishes / input.itemsPerPublish),
    remove: Math.ceil(input.deletes / idsPerCall),
  };
  const bounds: { readonly ms: number; readonly bound: Bound }[] = [
    { ms: (calls.list + calls.publish + calls.remove) * assumedCallMs, bound: { kind: "calls" } },
  ];
  if (limits.publish !== undefined) {
    bounds.push({ ms: timeFor(publishes, limits.publish), bound: { kind: "publish", rate: limits.publish } });
  }
  if (limits.perHost !== undefined && input.busiestHost !== null) {
    const { host, count } = input.busiestHost;
    bounds.push({ ms: timeFor(count, limits.perHost), bound: { kind: "host", rate: limits.perHost, host } });
  }
  for (const { rule, rate, count } of input.rules) {
    bounds.push({ ms: timeFor(count, rate), bound: { kind: "rule", rate, rule } });
  }
  const longest = bounds.reduce((one, other) => (other.ms > one.ms ? other : one));
  return {
    publishes,
    billed: { best: publishes, worst: input.worstBilled },
    calls,
    durationMs: Math.ceil(longest.ms),
    boundBy: longest.bound,
    passes: limits.perPass === undefined ? 1 : Math.max(1, Math.ceil(publishes / limits.perPass)),
    days: limits.perDay === undefined ? 1 : Math.max(1, Math.ceil(publishes / limits.perDay)),
  };
}

function timeFor(count: number, { count: allowed, perMs }: Rate): number {
  return (count / allowed) * perMs;
}
