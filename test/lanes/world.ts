import type { Guard } from "../rig/guard.ts";
import type { Say } from "../rig/program.ts";
import type { Manner } from "../rig/receiver-messages.ts";
import type { TimeScale } from "./time-scale.ts";

/** What all scenarios of a run share. */
export interface World {
  readonly scale: TimeScale;
  /** Of ports, keys and orders nothing depends on it; dead letters do. */
  readonly seed: number;
  /** Of the scenarios that take any number of them. */
  readonly deadLetters: number;
  /** The form that continuous integration has time for: one hour instead of two, fewer dead letters. */
  readonly isSmall: boolean;
  /** How a dead receiver is dead. */
  readonly deadAs: Exclude<Manner, "up">;
  /** True: `lane: none` everywhere, to see the checks fail. */
  readonly withoutLanes: boolean;
  /** Path of the built program. */
  readonly program: string;
  /** What its daemons are set to, unless a scenario says otherwise. */
  readonly env: Readonly<Record<string, string>>;
  /** A directory for what is written. */
  readonly dir: string;
  readonly guard: Guard;
  readonly say: Say;
}
