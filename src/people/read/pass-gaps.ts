/** What the boundaries of passes add to an end: nothing goes while no pass is open. Pure. */
import type { OpenPass } from "../../job/contracts/passes.ts";

export interface PassTimes {
  readonly openPass: Pick<OpenPass, "soFar"> | null;
  /** Ms until the next tick; null: none is known. */
  readonly nextInMs: number | null;
  /** Between ticks; null: they follow a cron pattern, and only the next one is known. */
  readonly everyMs: number | null;
}

/** Ms until a pass works what waits; 0 while one is open. */
export function toStartMs({ openPass, nextInMs }: PassTimes): number {
  return openPass === null ? Math.max(0, nextInMs ?? 0) : 0;
}

/**
 * Records that the open pass has met and left to the next one, because a rate had no room for them: a page
 * waits for a rate only for a while.
 */
export function toLeftBehind({ openPass }: PassTimes): number {
  const { "rate-limit": rate = 0, "pass-limit": pass = 0 } = openPass?.soFar.reasons.due ?? {};
  return rate + pass;
}

/** Ms from the end of the open pass, in `endInMs`, until the next one opens. */
export function toGapMs({ nextInMs, everyMs }: PassTimes, endInMs: number): number {
  if (nextInMs === null) return 0;
  const missed = everyMs === null ? 0 : Math.max(0, Math.ceil((endInMs - nextInMs) / everyMs));
  return Math.max(0, nextInMs + missed * (everyMs ?? 0) - endInMs);
}
