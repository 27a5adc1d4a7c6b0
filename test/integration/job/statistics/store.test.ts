import { describe, expect, it } from "vitest";
import type { IndexConfig } from "../../../../src/job/contracts/drains-document.ts";
import type { IndexReading, StatisticsStore } from "../../../../src/job/contracts/index-statistics.ts";
import { createIndexReadings } from "../../../../src/job/statistics/last-index-readings.ts";
import { parseStatistics } from "../../../../src/job/statistics/parse-index-statistics.ts";
import { createRedisStatisticsStore } from "../../../../src/job/store/statistics/redis-statistics-store.ts";
import { sharedKey } from "../../../../src/job/redis/key-prefix.ts";
import { scalarFields, seriesFields } from "../../../../src/job/contracts/index-statistics.ts";
import { oddValues } from "../../../support/odd-fields.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const reading: IndexReading = {
  index: "catalog",
  readAt: 1_700_000_000_123,
  summary: {
    scalars: { pending_index_count: 3, monthly_cost: 1.5 },
    newest: { vector_count: { at: { epochMs: 1_700_000_000_000, nanos: 975 }, value: 9 } },
    days: ["Sunday", "Monday"],
    unusableFields: 1,
  },
};

const redis = useRedis();

/** Two replicas' views of the same store. */
function open(): readonly [StatisticsStore, StatisticsStore] {
  const connection = redis.fresh();
  return [createRedisStatisticsStore(connection), createRedisStatisticsStore(connection)];
}

describe("the Redis store of index readings", () => {
  it("shows every replica what one of them wrote last", async () => {
    const replicas = open();
    await replicas[0].write(reading, 60_000);
    expect(await replicas[1].readAll(["catalog"])).toEqual([reading]);
    await replicas[1].write({ ...reading, readAt: 5 }, 60_000);
    expect(await replicas[0].readAll(["catalog"])).toEqual([{ ...reading, readAt: 5 }]);
  });

  it("answers in the order asked and leaves out what it does not have", async () => {
    const replicas = open();
    const other = { ...reading, index: "reviews" };
    await replicas[0].write(reading, 60_000);
    await replicas[0].write(other, 60_000);
    expect(await replicas[0].readAll(["reviews", "unknown", "catalog"])).toEqual([other, reading]);
    expect(await replicas[0].readAll([])).toEqual([]);
  });

  it("has the series of a reading beside it, if it was written with them, and nothing of a stale one", async () => {
    const [one, other] = open();
    const series = { vector_count: [[1_700_000_000_000, 9] as const, [1_700_000_060_000, 10.5] as const] };
    await one.write({ ...reading, series }, 60_000);
    await one.write({ ...reading, index: "short", series }, 100);
    await one.write({ ...reading, index: "without" }, 60_000);
    expect(await other.readSeries("catalog")).toEqual(series);
    expect(await other.readSeries("without")).toBeNull();
    await waitFor(async () => expect(await other.readSeries("short")).toBeNull());
    await waitFor(async () => expect(await other.readAll(["short", "catalog"])).toEqual([reading]));
  });

  it.each([
    ["no JSON", "{"],
    ["another version", JSON.stringify({ ...reading, version: 2 })],
    ["another index", JSON.stringify({ ...reading, version: 1, index: "reviews" })],
    ["another shape", JSON.stringify({ version: 1, index: "catalog", readAt: 1, summary: { scalars: 3 } })],
  ])("takes a value that is %s for none", async (_, text) => {
    const connection = redis.fresh();
    await connection.command("SET", sharedKey(connection.keyPrefix, "statistics", "catalog"), text);
    expect(await createRedisStatisticsStore(connection).readAll(["catalog"])).toEqual([]);
  });
});

describe("readings of indexes", () => {
  const parsed = parseStatistics({ storage_usage: 7 });
  if (parsed.kind === "unreadable") throw new Error("the sample does not parse");

  it("shows the gauges of a reading, which is stale after three intervals", async () => {
    const [store] = open();
    let staleAfterMs = 0;
    const readings = createIndexReadings({
      store: {
        ...store,
        write(...written) {
          [, staleAfterMs] = written;
          return store.write(...written);
        },
      },
      read: async () => parsed.statistics,
      clock: { now: () => 2_000, monotonic: () => 0 },
      events: { emit: () => undefined },
    });
    const schedule = { kind: "every", everyMs: 20_000 } as const;
    await readings.take({ name: "catalog", schedule } as IndexConfig, new AbortController().signal);
    expect(staleAfterMs).toBe(60_000);
    expect((await readings.gauges(["catalog"])).map(({ name, value }) => [name, value])).toEqual([
      ["redriver_index_storage_usage_bytes", 7],
      ["redriver_index_unusable_fields", 0],
      ["redriver_index_read_timestamp_seconds", 2],
    ]);
  });
});

it("Redis gives back what is read of an answer with any value in a field", async () => {
  const store = createRedisStatisticsStore(redis.fresh());
  const fields = [...scalarFields.slice(0, 1), ...seriesFields.slice(0, 1), "days", "unheardOf"];
  // JSON has no -0.
  const values = Object.values(oddValues).filter((value) => value !== "-0");
  const answers = fields.flatMap((field) =>
    values.flatMap((value) => [
      `{"${field}":${value},"storage_usage":1,"days":["Monday"]}`,
      `{"${field}":[{"x":"2025-10-19 18:33:05.244 +0000 UTC","y":${value}},{"x":${value},"y":1}],"storage_usage":1}`,
    ]),
  );
  for (const text of answers) {
    const parsed = parseStatistics(JSON.parse(text));
    if (parsed.kind !== "statistics") throw new Error(`${text.slice(0, 200)} spoils the other fields`);
    const { scalars, newest, days, unusableFields } = parsed.statistics;
    const written = { index: "catalog", readAt: 1, summary: { scalars, newest, days, unusableFields } };
    await store.write(written, 60_000);
    expect(await store.readAll(["catalog"])).toEqual([written]);
  }
});
