import { formatProblem } from "../config/problem.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { IndexConfig, Schedule } from "../ports/drains.ts";
import { RedriverError, toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { IndexStatistics, StatisticsStore } from "../ports/statistics.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { sharedKey } from "../redis/key-names.ts";
import { createStatisticsBook, type StatisticsBook } from "../statistics/book.ts";
import { createStatisticsClient } from "../statistics/client.ts";
import { createRedisStatisticsStore } from "../statistics/redis-store.ts";
import { systemClock } from "./system-world.ts";
import type { ReadSecret } from "./secrets.ts";

/** A reading is expected at least this often where the schedule is a cron pattern. */
const cronIntervalMs = 60 * 60_000;

export interface IndexReader {
  /** Reads one index now. Throws `settings-invalid` where its credentials are missing, else as the client does. */
  read(index: IndexConfig, signal: AbortSignal): Promise<IndexStatistics>;
}

export function createIndexReader(settings: Settings, readSecret: ReadSecret): IndexReader {
  const client = createStatisticsClient({
    baseUrl: settings.statistics.url,
    timeoutMs: settings.statistics.timeoutMs,
    fetch,
    clock: systemClock,
  });
  return {
    read: async (index, signal) => {
      const user = readSecret(index.user);
      const password = readSecret(index.password);
      if (!user.ok || !password.ok) {
        const problems = [user, password].flatMap((one) => (one.ok ? [] : [one.problem]));
        throw new RedriverError(
          "settings-invalid",
          `index ${index.name} has no credentials: ${problems.map(formatProblem).join("; ")}`,
        );
      }
      return client.read(index, { user: user.value, password: password.value }, signal);
    },
  };
}

/** The last readings, kept in Redis for all replicas. */
export function createStatisticsKeeper(redis: RedisConnection): StatisticsBook {
  return createStatisticsBook(openStatisticsStore(redis), systemClock);
}

export function openStatisticsStore(redis: RedisConnection): StatisticsStore {
  return createRedisStatisticsStore({
    redis: {
      set: async (key, value, ttlMs) => {
        await redis.command("SET", key, value, "PX", ttlMs);
      },
      getAll: async (keys) =>
        Promise.all(
          keys.map(async (key) => {
            const value = await redis.command("GET", key);
            return typeof value === "string" ? value : null;
          }),
        ),
    },
    keyOf: (index) => sharedKey(redis.keyPrefix, "statistics", index),
  });
}

/** Readings as guards ask for them. */
export type Readings = Pick<StatisticsStore, "readAll">;

/**
 * For a command that acts without a daemon beside it: a reading that is missing or stale is taken now, and kept for all. One
 * that fails is told as `statistics:failed` and stays missing.
 */
export function readWhenMissing(
  store: StatisticsStore,
  parts: {
    readonly indexes: readonly IndexConfig[];
    readonly reader: IndexReader;
    readonly events: Events;
  },
): Readings {
  const book = createStatisticsBook(store, systemClock);
  const read = async (index: IndexConfig): Promise<void> => {
    try {
      const statistics = await parts.reader.read(index, new AbortController().signal);
      await book.record(index.name, statistics, toIntervalMs(index.schedule));
    } catch (error) {
      parts.events.emit({ type: "statistics:failed", index: index.name, ...toFailure(error) });
    }
  };
  return {
    async readAll(names) {
      const known = await store.readAll(names);
      const missing = parts.indexes.filter(
        ({ name }) => names.includes(name) && !known.some(({ index }) => index === name),
      );
      if (missing.length === 0) return known;
      await Promise.all(missing.map(read));
      return store.readAll(names);
    },
  };
}

export function toIntervalMs(schedule: Schedule): number {
  return schedule.kind === "every" ? schedule.everyMs : cronIntervalMs;
}
