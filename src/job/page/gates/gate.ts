import type { DrainRuntime } from "../../runtime.ts";
import type { Letter } from "../letter.ts";

/** A reason why a letter does not go now, asked in gates.ts. */
export interface Gate {
  readonly name: "guard" | "pause" | "lane" | "source-health" | "capacity";
  readonly letsReconcilingPass: boolean;
  /** True if it was never asked for this letter, or too long ago. `now`: clock.monotonic(). */
  readonly isAskedAgain: (letter: Letter, now: number, drain: DrainRuntime) => boolean;
  /** Holds what waits. Throws `redis-unavailable`. `signal` ends calls. */
  readonly ask: (drain: DrainRuntime, letters: readonly Letter[], signal: AbortSignal) => Promise<void>;
}
