import type { Guard } from "../rig/guard.ts";
import type { Say } from "../rig/program.ts";
import type { TimeScale } from "./time-scale.ts";

/** What all scenarios of a run share. */
export interface World {
  readonly scale: TimeScale;
  /** Of the scenarios that take any number of them. */
  readonly deadLetters: number;
  /** The form that continuous integration has time for: one hour instead of two, fewer dead letters. */
  readonly isSmall: boolean;
  /** True: `lane: none` everywhere, to see the checks fail. */
  readonly withoutLanes: boolean;
  /** A directory for what is written. */
  readonly dir: string;
  readonly guard: Guard;
  readonly say: Say;
}
