import type { EmulatorClock } from "./clock.ts";
import type { Journal } from "./journal.ts";
import type { EmulatorSettings } from "./options.ts";

export interface EmulatorContext {
  readonly settings: EmulatorSettings;
  readonly clock: EmulatorClock;
  readonly journal: Journal;
}
