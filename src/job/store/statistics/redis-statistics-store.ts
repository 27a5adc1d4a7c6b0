import type { IndexReading, IndexSeries, StatisticsStore } from "../../contracts/index-statistics.ts";
import type { RedisConnection } from "../../redis/connect.ts";
import { sharedKey } from "../../redis/key-prefix.ts";

const version = 1;

/**
 * One key per index, with Redis's own expiry: its clock alone decides when a reading is stale, so replicas cannot
 * disagree. There is no MGET, because keys of different indexes may live on different nodes of a cluster.
 */
export function createRedisStatisticsStore(
  redis: Pick<RedisConnection, "command" | "keyPrefix">,
): StatisticsStore {
  const keyOf = (kind: "statistics" | "statistics-series", index: string): string =>
    sharedKey(redis.keyPrefix, kind, index);
  return {
    async write({ index, readAt, summary, series }, staleAfterMs) {
      // Guards read the summary often, so it is without series: about a kilobyte whatever the period.
      const { scalars, newest, days, unusableFields } = summary;
      const reading = { version, index, readAt, summary: { scalars, newest, days, unusableFields } };
      await redis.command("SET", keyOf("statistics", index), JSON.stringify(reading), "PX", staleAfterMs);
      if (series === undefined) return;
      const points = JSON.stringify({ version, index, series });
      await redis.command("SET", keyOf("statistics-series", index), points, "PX", staleAfterMs);
    },
    async readAll(indexes) {
      const texts = await Promise.all(
        indexes.map((index) => redis.command("GET", keyOf("statistics", index))),
      );
      return texts.flatMap((text, i) => (typeof text === "string" ? toReadings(text, indexes[i]) : []));
    },
    async readSeries(index) {
      const text = await redis.command("GET", keyOf("statistics-series", index));
      return typeof text === "string" ? (parse(text, index).series ?? null) : null;
    },
  };
}

type Stored = Partial<IndexReading & { readonly series: IndexSeries; readonly version: unknown }>;

/** Empty if another version wrote it, if it is of another index under a colliding key, or not ours at all. */
function parse(text: string, expected: string | undefined): Stored {
  try {
    const stored = JSON.parse(text) as Stored;
    return stored.version === version && stored.index === expected ? stored : {};
  } catch {
    return {};
  }
}

function toReadings(text: string, expected: string | undefined): readonly IndexReading[] {
  const { index, readAt, summary } = parse(text, expected);
  const { scalars, newest, days, unusableFields } = summary ?? {};
  if (index === undefined || readAt === undefined || !scalars || !newest || !days) return [];
  if (unusableFields === undefined) return [];
  return [{ index, readAt, summary: { scalars, newest, days, unusableFields } }];
}
