import type { DrainConfig } from "../contracts/drains-document.ts";
import type { Window } from "../contracts/passes.ts";
import { resolveEdge } from "../rules/patterns/parse-dates.ts";

/**
 * The upper end lowers a pass's horizon at its opening, so that the watermark never passes what was listed. The
 * lower end narrows each window by the start of its pass, which is the same for every replica.
 */
type Dates = DrainConfig["dates"];

/** How far a pass's horizon stays behind both clocks, so that all records of its last moment have arrived. */
export const horizonBehindMs = 5_000;

/** The start of a full pass and the end of any, Unix ms. An empty selection is a millisecond, not listed. */
export function selectRange(
  dates: Dates,
  now: number,
  horizon: number,
): { readonly fullFrom: number; readonly to: number } {
  const end = dates?.to === undefined ? horizon : Math.floor(resolveEdge(dates.to, now));
  const to = Math.min(horizon, end);
  return { fullFrom: Math.max(0, Math.min(to, Math.floor(startOf(dates, now)))), to };
}

export function narrowWindow(dates: Dates, window: Window, startedAt: number): Window | null {
  const from = Math.max(window.from, startOf(dates, startedAt));
  return from > window.to ? null : { ...window, from };
}

function startOf(dates: Dates, now: number): number {
  return dates?.from === undefined ? 0 : resolveEdge(dates.from, now);
}
