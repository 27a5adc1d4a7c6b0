import type { DrainRuntime } from "../../runtime.ts";
import type { Letter } from "../letter.ts";

/** A reason why a letter does not go now, asked in gates.ts. */
export interface Gate {
  readonly name: "guard" | "pause" | "lane" | "source-health" | "capacity";
  readonly letsReconcilingPass: boolean;
  /** Of these letters, those that it was never asked for, or too long ago. `now`: clock.monotonic(). */
  readonly asking: (drain: DrainRuntime, letters: readonly Letter[], now: number) => readonly Letter[];
  /** Holds what waits. Throws `redis-unavailable`. `signal` ends calls. */
  readonly ask: (drain: DrainRuntime, letters: readonly Letter[], signal: AbortSignal) => Promise<void>;
}
