/** Readers of what Redis has, for a process that shows it. They call no service and change nothing. */
import type { StatisticsStore } from "../contracts/index-statistics.ts";
import type { SourceId } from "../contracts/ids.ts";
import type { ParkedPages } from "../contracts/parked-pages.ts";
import { createRedisParkedPages } from "../store/ledger/redis-parked-pages.ts";
import { createRedisStatisticsStore } from "../store/statistics/redis-statistics-store.ts";
import type { Core } from "./build-core.ts";

export function openParkedPages({
  redis,
  sources,
}: Pick<Core, "redis" | "sources">): ReadonlyMap<SourceId, ParkedPages> {
  return new Map(
    [...sources].map(([id, { runtime }]) => [id, createRedisParkedPages(redis, id, runtime.ledger.limits)]),
  );
}

export function openIndexReader({
  redis,
}: Pick<Core, "redis">): Pick<StatisticsStore, "readAll" | "readSeries"> {
  return createRedisStatisticsStore(redis);
}
