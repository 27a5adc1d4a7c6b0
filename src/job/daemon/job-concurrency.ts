import type { Core } from "../compose/build-core.ts";
import { maxWaiting } from "./window-slots.ts";

/** Ticks, sweeps and censuses that have nothing to wait for, and statistics. */
const shortJobs = 10;
/** Targets of `notify` that are sent to at once: one that does not answer takes ten seconds. */
const maxNotifyJobs = 4;

/**
 * Jobs of each queue that a process may have in hand at once. Jobs that hang with their source always leave room for
 * all others. A source has one sweep and one census under way, and a drain one tick that waits for a first answer.
 * Slots limit the windows at work (window-slots.ts). A few wait for a slot, and two places are always free.
 */
export function toMaxJobs({
  sources,
  drains,
  document,
  settings,
}: Pick<Core, "sources" | "drains" | "document" | "settings">): {
  readonly short: number;
  readonly windows: number;
  readonly notices: number;
} {
  const { concurrency } = settings.windows;
  return {
    short: shortJobs + 2 * sources.size + drains.size + document.indexes.length,
    windows: sources.size <= 1 ? concurrency : concurrency - 1 + sources.size * (1 + maxWaiting) + 2,
    notices: Math.min(maxNotifyJobs, document.notify.length),
  };
}
