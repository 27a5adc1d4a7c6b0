import type { Datapoint, IndexReading, StatisticsStore } from "../../ports/statistics.ts";
import { scalarFields, seriesFields } from "../../ports/statistics.ts";
import type { RedisConnection } from "../../redis/connect.ts";
import { sharedKey } from "../../redis/key-names.ts";

/**
 * One key per index, with Redis's own expiry: its clock alone decides when a reading is stale, so replicas
 * cannot disagree. There is no MGET, because keys of different indexes may live on different nodes of a
 * cluster.
 */
export function createRedisStatisticsStore(
  redis: Pick<RedisConnection, "command" | "keyPrefix">,
): StatisticsStore {
  const keyOf = (index: string): string => sharedKey(redis.keyPrefix, "statistics", index);
  return {
    async write(reading, staleAfterMs) {
      await redis.command("SET", keyOf(reading.index), encodeReading(reading), "PX", staleAfterMs);
    },
    async readAll(indexes) {
      const texts = await Promise.all(indexes.map((index) => redis.command("GET", keyOf(index))));
      return texts.flatMap((text, position) => {
        const reading = typeof text === "string" ? decodeReading(text) : undefined;
        // A value of another version, or of another index under a colliding key, is as good as none.
        return reading === undefined || reading.index !== indexes[position] ? [] : [reading];
      });
    },
  };
}

const version = 1;

/** What another version or process may have written has any of its parts, or none. */
interface StoredReading {
  readonly version?: unknown;
  readonly index?: unknown;
  readonly readAt?: unknown;
  readonly summary?: {
    readonly scalars?: Readonly<Record<string, unknown>> | null;
    readonly newest?: Readonly<Record<string, Partial<Datapoint> | null>> | null;
    readonly unusableFields?: unknown;
  } | null;
}

/** The text kept in Redis: summary only, about a kilobyte whatever the period. */
function encodeReading({ index, readAt, summary }: IndexReading): string {
  const { scalars, newest, unusableFields } = summary;
  return JSON.stringify({ version, index, readAt, summary: { scalars, newest, unusableFields } });
}

/** The reading, or undefined for a text that this version did not write. */
function decodeReading(text: string): IndexReading | undefined {
  let stored: StoredReading | null;
  try {
    stored = JSON.parse(text) as StoredReading | null;
  } catch {
    return undefined;
  }
  if (stored?.version !== version) return undefined;
  const { index, readAt, summary } = stored;
  const { scalars, newest, unusableFields } = summary ?? {};
  if (typeof index !== "string" || typeof readAt !== "number" || typeof unusableFields !== "number") {
    return undefined;
  }
  const scalarEntries = scalarFields.flatMap((field) => {
    const number = scalars?.[field];
    return typeof number === "number" ? [[field, number] as const] : [];
  });
  const newestEntries = seriesFields.flatMap((field) => {
    const point = newest?.[field];
    return isDatapoint(point) ? [[field, point] as const] : [];
  });
  return {
    index,
    readAt,
    summary: {
      scalars: Object.fromEntries(scalarEntries),
      newest: Object.fromEntries(newestEntries),
      unusableFields,
    },
  };
}

function isDatapoint(point: Partial<Datapoint> | null | undefined): point is Datapoint {
  const { epochMs, nanos } = point?.at ?? {};
  return typeof point?.value === "number" && typeof epochMs === "number" && typeof nanos === "number";
}
