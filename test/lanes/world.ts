import { setTimeout as delay } from "node:timers/promises";
import type { Guard } from "../rig/guard.ts";
import type { Standing } from "../rig/receiver-messages.ts";
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
  readonly deadAs: Exclude<Standing, "up">;
  /** True: `lane: none` everywhere, to see the checks fail. */
  readonly withoutLanes: boolean;
  /** Path of the built program. */
  readonly program: string;
  /** A directory for what is written. */
  readonly dir: string;
  readonly guard: Guard;
  readonly say: (line: string) => void;
}

/** Asks again until it holds; false where it did not within `withinMs`. */
export async function isSoon(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
  everyMs = 200,
): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) return false;
    await delay(everyMs);
  }
  return true;
}

export async function until(at: number): Promise<void> {
  await delay(Math.max(0, at - Date.now()));
}
