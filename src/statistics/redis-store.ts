import type { IndexReading, StatisticsStore } from "../ports/statistics.ts";
import { decodeReading, encodeReading } from "./reading.ts";

/** The two commands the store needs. Failures are RedriverError `redis-unavailable` already when they get here. */
export interface StatisticsRedis {
  /** SET key value PX ttlMs: Redis's clock alone decides when the reading is stale, so replicas cannot disagree. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** One GET per key (no MGET: keys of different indexes may live on different nodes of a cluster); null where there is none. */
  getAll(keys: readonly string[]): Promise<readonly (string | null)[]>;
}

export interface RedisStatisticsStoreOptions {
  readonly redis: StatisticsRedis;
  /** The Redis key of an index's reading. */
  readonly keyOf: (index: string) => string;
}

export function createRedisStatisticsStore({ redis, keyOf }: RedisStatisticsStoreOptions): StatisticsStore {
  return {
    async write(reading, staleAfterMs) {
      await redis.set(keyOf(reading.index), encodeReading(reading), staleAfterMs);
    },
    async readAll(indexes) {
      if (indexes.length === 0) return [];
      const texts = await redis.getAll(indexes.map(keyOf));
      return indexes.flatMap((index, position): readonly IndexReading[] => {
        const text = texts[position];
        const reading = text === null || text === undefined ? undefined : decodeReading(text);
        // A value of another version, or of another index under a colliding key, is as good as none.
        return reading === undefined || reading.index !== index ? [] : [reading];
      });
    },
  };
}
