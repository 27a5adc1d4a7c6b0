import type { EstimateInput } from "../../src/people/plan/estimate.ts";
import type { LaneStanding } from "../../src/people/plan/lane-standings.ts";
import { toHostRate } from "../../src/people/plan/pace.ts";
import type { DestinationWork } from "../../src/people/plan/schedule-destinations.ts";

const second = 1_000;
const minute = 60_000;

export function perHost(count: number, perMs = second): Pick<EstimateInput, "perHost"> {
  return { perHost: toHostRate({ perHost: { count, perMs } }) };
}

export const standing: LaneStanding = {
  state: "canary",
  sinceMs: null,
  why: null,
  lastProbeAt: null,
  size: 5,
  sent: 0,
  nextInMs: 0,
  isShaky: false,
  isSuspect: false,
};
export const halted = { ...standing, state: "halted", size: 1, nextInMs: 4 * minute } as const;
export const open = { ...standing, state: "open", size: 50 } as const;
export const lane = { canary: 5, watchMs: minute, openFrom: 300 };

/** `count` due now. */
export const to = (host: string, count: number, fields: Partial<DestinationWork> = {}): DestinationWork => ({
  origin: `https://${host}`,
  host,
  arrivals: count === 0 ? [] : [{ inMs: 0, count }],
  earliestMs: null,
  again: 0,
  rules: [],
  lane: null,
  ...fields,
});
export const later = (inMs: number, count: number) => ({ arrivals: [{ inMs, count }], earliestMs: inMs });
