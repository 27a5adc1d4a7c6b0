import type { DrainConfig } from "../../ports/drains.ts";
import type { Window } from "../../ports/passes.ts";
import { resolveEdge } from "../../rules/patterns/parse-edge.ts";

/**
 * The dates that a drain selects beside its filters. The upper end lowers a pass's horizon as it opens, so that its watermark
 * never passes what was listed; the lower end narrows each window, by the time at which its pass began, which every replica
 * reads alike.
 */
type Dates = DrainConfig["dates"];

/** How far the horizon of a pass stays behind both clocks, so that records which share its last moment have arrived. */
export const horizonBehindMs = 5_000;

/** Where a full pass begins and where any pass ends, in Unix ms; an empty selection is one millisecond that no window lists. */
export function selectRange(
  dates: Dates,
  now: number,
  horizon: number,
): { readonly fullFrom: number; readonly to: number } {
  const end = dates?.to === undefined ? horizon : Math.floor(resolveEdge(dates.to, now));
  const to = Math.min(horizon, end);
  return { fullFrom: Math.max(0, Math.min(to, Math.floor(startOf(dates, now)))), to };
}

/** The part of a window that the dates select, for a pass that began at `startedAt`; null when there is none. */
export function narrowWindow(dates: Dates, window: Window, startedAt: number): Window | null {
  const from = Math.max(window.from, startOf(dates, startedAt));
  return from > window.to ? null : { ...window, from };
}

function startOf(dates: Dates, now: number): number {
  return dates?.from === undefined ? 0 : resolveEdge(dates.from, now);
}
