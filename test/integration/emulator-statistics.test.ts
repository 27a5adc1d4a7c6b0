import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../src/emulator/index.ts";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator();
});
afterEach(() => emulator.close());

const stats = (query = "", credentials = emulator.statsCredentials, id = "demo"): Promise<Response> =>
  fetch(`${emulator.url}/v2/search/${id}/stats${query}`, {
    headers: {
      Authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
    },
  });

const pending = async (): Promise<number> =>
  ((await (await stats()).json()) as { pending_index_count: number }).pending_index_count;

const scalars = [
  "pending_index_count",
  "current_vector_count",
  "daily_query_count",
  "daily_update_count",
  "monthly_query_count",
  "monthly_update_count",
  "monthly_bandwidth_usage",
  "storage_usage",
  "daily_rerank_count",
  "monthly_rerank_count",
];
const series = [
  "daily_update_requests",
  "daily_query_requests",
  "daily_bandwidths",
  "daily_rerank_requests",
  "query_throughput",
  "update_throughput",
  "query_latency_mean",
  "query_latency_99",
  "update_latency_mean",
  "update_latency_99",
  "embeds_latency_mean",
  "embeds_latency_99",
  "rerank_latency_mean",
  "rerank_latency_99",
  "vector_count",
  "data_size",
];

describe("search index statistics", () => {
  test.each([
    ["", 60],
    ["?period=1h", 60],
    ["?period=3h", 60],
    ["?period=12h", 60],
    ["?period=1d", 60],
    ["?period=3d", 60],
    ["?period=7d", 60],
    ["?period=30d", 240],
  ])("with %j have every value and %d points in every series", async (query, points) => {
    const body = (await (await stats(query)).json()) as Record<string, unknown>;
    expect(Object.keys(body).toSorted()).toEqual([...scalars, "monthly_cost", "days", ...series].toSorted());
    expect(scalars.filter((name) => !Number.isInteger(body[name]))).toEqual([]);
    expect(body["days"]).toEqual(expect.arrayContaining(["Monday", "Sunday"]));
    for (const name of series) {
      expect(body[name]).toHaveLength(points);
      for (const { x, y } of body[name] as { x: string; y: number }[]) {
        expect(x).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.(?:\d{3}|\d{9}) \+0000 UTC$/);
        expect(y).toEqual(expect.any(Number));
      }
    }
  });

  test("are refused without the credentials, for unknown indexes and for unknown periods", async () => {
    const wrong = await stats("", { username: "emulator", password: "wrong" });
    expect([wrong.status, await wrong.json()]).toEqual([401, { code: 401, message: expect.any(String) }]);
    const unknown = await stats("", undefined, "other");
    expect([unknown.status, await unknown.json()]).toEqual([404, { code: 404, message: expect.any(String) }]);
    expect((await stats("?period=2h")).status).toBe(400);
  });

  test("move with the clock and can be set by hand", async () => {
    const seen = new Set<number>();
    for (let step = 0; step < 8; step++) {
      seen.add(await pending());
      emulator.clock.advance(900_000);
    }
    expect(seen.size).toBeGreaterThan(2);
    const response = await fetch(`${emulator.controlUrl}/_control/indexes/demo`, {
      method: "PUT",
      body: JSON.stringify({ pending_index_count: 12_345 }),
    });
    expect(response.status).toBe(200);
    expect(await pending()).toBe(12_345);
  });
});
