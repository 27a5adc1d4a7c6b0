import type { Clock } from "../contracts/clock.ts";
import type { IndexConfig } from "../contracts/drains-document.ts";
import { toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import {
  compareInstants,
  seriesFields,
  type IndexGauge,
  type IndexReading,
  type IndexSeries,
  type IndexStatistics,
  type StatisticsStore,
} from "../contracts/index-statistics.ts";
import { toGauges } from "./index-gauges.ts";

/** Two readings may fail or come late before the numbers go; a third is no accident. */
const staleAfterIntervals = 3;
/** A reading is expected at least this often if the schedule is a cron pattern. */
const cronIntervalMs = 60 * 60_000;

export interface IndexReadingsParts {
  readonly store: StatisticsStore;
  readonly read: (index: IndexConfig, signal: AbortSignal) => Promise<IndexStatistics>;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly events: Events;
}

/** The last reading of each index: written by any replica, the same in all, gone when it is stale. */
export function createIndexReadings({ store, read, clock, events }: IndexReadingsParts) {
  /** A failure is the event `statistics:failed`, and the earlier reading stays. */
  const take = async (index: IndexConfig, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.monotonic();
    try {
      const { scalars, newest, days, unusableFields, series } = await read(index, signal);
      const summary = { scalars, newest, days, unusableFields };
      const { schedule } = index;
      const intervalMs = schedule.kind === "every" ? schedule.everyMs : cronIntervalMs;
      const staleAfterMs = intervalMs * staleAfterIntervals;
      const reading = { index: index.name, readAt: clock.now(), summary, series: toChartSeries(series) };
      await store.write(reading, staleAfterMs);
      events.emit({ type: "statistics:read", index: index.name, durationMs: clock.monotonic() - startedAt });
    } catch (error) {
      events.emit({ type: "statistics:failed", index: index.name, ...toFailure(error) });
    }
  };
  return {
    take,
    /** Samples for the metrics page. An index that has not been read for three intervals has none. */
    gauges: async (indexes: readonly string[]): Promise<readonly IndexGauge[]> =>
      (await store.readAll(indexes)).flatMap(toGauges),
    /** For a command without a daemon beside it: first reads those that are missing or stale. */
    async readFresh(indexes: readonly IndexConfig[]): Promise<readonly IndexReading[]> {
      const names = indexes.map(({ name }) => name);
      const known = await store.readAll(names);
      const missing = indexes.filter(({ name }) => !known.some(({ index }) => index === name));
      if (missing.length === 0) return known;
      await Promise.all(missing.map((index) => take(index, new AbortController().signal)));
      return store.readAll(names);
    },
  };
}

/** Of each series: a chart of 600 pixels shows no more, and 16 series are 60 kB then. */
const maxPoints = 200;

/** Oldest first. Of a longer series evenly spread points, the newest among them. */
function toChartSeries(series: IndexStatistics["series"]): IndexSeries {
  return Object.fromEntries(
    seriesFields.flatMap((field) => {
      const points = series[field].toSorted((one, other) => compareInstants(one.at, other.at));
      if (points.length === 0) return [];
      const step = Math.ceil(points.length / maxPoints);
      const chosen = points.filter((_, index) => (points.length - 1 - index) % step === 0);
      return [[field, chosen.map(({ at, value }) => [at.epochMs, value] as const)]];
    }),
  );
}
