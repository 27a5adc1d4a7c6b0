import type { Clock } from "../../../src/ports/clock.ts";
import type { IndexReading, StatisticsStore } from "../../../src/ports/index-statistics.ts";

/** For one process only: commands in the foreground, and tests. */
export function createMemoryStatisticsStore(clock: Pick<Clock, "monotonic">): StatisticsStore {
  const kept = new Map<string, { readonly reading: IndexReading; readonly staleAt: number }>();
  return {
    async write(reading, staleAfterMs) {
      kept.set(reading.index, { reading, staleAt: clock.monotonic() + staleAfterMs });
    },
    async readAll(indexes) {
      return indexes.flatMap((index) => {
        const entry = kept.get(index);
        return entry === undefined || clock.monotonic() >= entry.staleAt ? [] : [entry.reading];
      });
    },
  };
}
