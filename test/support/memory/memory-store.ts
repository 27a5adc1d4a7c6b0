import type { Clock } from "../../../src/job/contracts/clock.ts";
import type {
  IndexReading,
  IndexSeries,
  StatisticsStore,
} from "../../../src/job/contracts/index-statistics.ts";

/** For one process only: commands in the foreground, and tests. */
export function createMemoryStatisticsStore(clock: Pick<Clock, "monotonic">): StatisticsStore {
  const kept = new Map<
    string,
    { readonly reading: IndexReading; readonly series?: IndexSeries; readonly staleAt: number }
  >();
  return {
    async write({ series, ...reading }, staleAfterMs) {
      const staleAt = clock.monotonic() + staleAfterMs;
      kept.set(reading.index, { reading, staleAt, ...(series === undefined ? {} : { series }) });
    },
    async readAll(indexes) {
      return indexes.flatMap((index) => {
        const entry = kept.get(index);
        return entry === undefined || clock.monotonic() >= entry.staleAt ? [] : [entry.reading];
      });
    },
    async readSeries(index) {
      const entry = kept.get(index);
      return entry === undefined || clock.monotonic() >= entry.staleAt ? null : (entry.series ?? null);
    },
  };
}
