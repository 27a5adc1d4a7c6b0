import type { DrainRuntime } from "../../runtime.ts";
import type { Letter } from "../letter.ts";

export interface Gate {
  readonly letsReconcilingPass: boolean;
  /** Of these letters, those that it was never asked for, or too long ago. `now`: clock.monotonic(). */
  readonly asking: (drain: DrainRuntime, letters: readonly Letter[], now: number) => readonly Letter[];
  /** Holds what waits. Throws `redis-unavailable`. `signal` ends calls. */
  readonly ask: (drain: DrainRuntime, letters: readonly Letter[], signal: AbortSignal) => Promise<void>;
}

/**
 * What Redis has answered may have changed since. A rate may be ahead by as much: a move puts off the next grants
 * by the age of the grant. On an idle machine a batch leaves within about 100 ms.
 */
export const maxAnswerAgeMs = 500;

/** Those that passed guards and pauses never, or too long ago. */
export function toAskAgain(letters: readonly Letter[], now: number): readonly Letter[] {
  const old: Letter[] = [];
  for (const one of letters) if (now - one.passedAt > maxAnswerAgeMs) old.push(one);
  return old;
}
