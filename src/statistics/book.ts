import type { Clock } from "../ports/clock.ts";
import type { IndexGauge, IndexStatistics, StatisticsStore } from "../ports/statistics.ts";
import { toReadingGauges } from "./gauges.ts";

/** Two readings may fail or come late before the numbers go; a third is no accident. */
const staleAfterIntervals = 3;

/** The last reading of each index: written by whichever replica read it, shown alike by all, gone when it is stale. */
export interface StatisticsBook {
  /** `intervalMs`: the longest time between two readings by this index's schedule. */
  record(index: string, statistics: IndexStatistics, intervalMs: number): Promise<void>;
  /** Samples for the metrics page. An index that has not been read for three intervals has none. */
  gauges(indexes: readonly string[]): Promise<readonly IndexGauge[]>;
}

export function createStatisticsBook(store: StatisticsStore, clock: Pick<Clock, "now">): StatisticsBook {
  return {
    async record(index, statistics, intervalMs) {
      const { scalars, newest, unusableFields } = statistics;
      await store.write(
        { index, readAt: clock.now(), summary: { scalars, newest, unusableFields } },
        intervalMs * staleAfterIntervals,
      );
    },
    async gauges(indexes) {
      return (await store.readAll(indexes)).flatMap(toReadingGauges);
    },
  };
}
