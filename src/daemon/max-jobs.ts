import type { Core } from "../compose/build-core.ts";
import { maxWaiting } from "./window-slots.ts";

/** Ticks, sweeps and censuses that have nothing to wait for, and statistics. */
const shortJobs = 10;

/**
 * How many jobs of each queue a process has in hand at once: so many that those which hang with their source
 * leave room for all others. A source has one sweep and one census under way, and a drain one tick that waits
 * for a first answer. Of windows, slots say which of them are worked on (window-slots.ts); a few wait for a
 * slot, and two places are always free.
 */
export function toMaxJobs({
  sources,
  drains,
  document,
  settings,
}: Pick<Core, "sources" | "drains" | "document" | "settings">): {
  readonly short: number;
  readonly windows: number;
} {
  const { concurrency } = settings.windows;
  return {
    short: shortJobs + 2 * sources.size + drains.size + document.indexes.length,
    windows: sources.size <= 1 ? concurrency : concurrency - 1 + sources.size * (1 + maxWaiting) + 2,
  };
}
