import type { LaneReady } from "../../ports/lanes.ts";

/** By drain, the places of each ascending and each once: several of its lanes may have met messages in one minute. */
export function inOrder(ready: readonly LaneReady[]): readonly LaneReady[] {
  return ready
    .map(({ drain, resumeMinutes }) => ({
      drain,
      resumeMinutes: [...new Set(resumeMinutes)].toSorted((a, b) => a - b),
    }))
    .toSorted((a, b) => (a.drain < b.drain ? -1 : 1));
}
