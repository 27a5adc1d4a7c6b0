import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../../emulator/index.ts";
import { allSeries } from "../../../../test/support/statistics-series.ts";

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

/** Status of a request with these characters as its credentials. */
const statusWith = async (encoded: string): Promise<number> =>
  (await fetch(`${emulator.url}/v2/search/demo/stats`, { headers: { Authorization: `Basic ${encoded}` } }))
    .status;

const pending = async (): Promise<number> =>
  ((await (await stats()).json()) as { pending_index_count: number }).pending_index_count;

/** `2025-10-19 18:33:05.244068975 +0000 UTC`, exactly. */
function toNanos(timestamp: string): bigint {
  const [, date, time, fraction = ""] = /^(\S+) (\d\d:\d\d:\d\d)\.(\d+) /.exec(timestamp) ?? [];
  return BigInt(Date.parse(`${date}T${time}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

const put = async (
  path: string,
  body?: unknown,
  method = "PUT",
): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${emulator.controlUrl}/_control/indexes/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

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
describe("the credentials of the statistics", () => {
  beforeEach(async () => {
    await emulator.close();
    emulator = await startEmulator({ statsCredentials: { username: "ab", password: "c~?\u00ff" } });
  });
  const encoded = Buffer.from("ab:c~?\u00ff").toString("base64");

  test("may lack the padding", async () => {
    expect(encoded).toBe("YWI6Y34/w78=");
    expect(await statusWith(encoded)).toBe(200);
    expect(await statusWith("YWI6Y34/w78")).toBe(200);
  });

  test.each(["YWI6Y34/w78=AAAA", "YWI6.Y34/w78=", "YWI6Y34_w78=", "YWI6Y34/w78==", "YWI6Y34/w79="])(
    "count in no other spelling: %s",
    async (odd) => expect(await statusWith(odd)).toBe(401),
  );
});

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
    expect(Object.keys(body).toSorted()).toEqual(
      [...scalars, "monthly_cost", "days", ...allSeries].toSorted(),
    );
    expect(scalars.filter((name) => !Number.isInteger(body[name]))).toEqual([]);
    expect(body["days"]).toEqual(expect.arrayContaining(["Monday", "Sunday"]));
    for (const name of allSeries) {
      expect(body[name]).toHaveLength(points);
      for (const { x, y } of body[name] as { x: string; y: number }[]) {
        expect(x).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.(?:\d{3}|\d{9}) \+0000 UTC$/);
        expect(y).toEqual(expect.any(Number));
      }
    }
  });

  test.each([
    ["1h", 60_000],
    ["3h", 180_000],
    ["12h", 720_000],
    ["1d", 1_440_000],
    ["3d", 4_320_000],
    ["7d", 10_080_000],
    ["30d", 10_800_000],
  ])("over %s are exactly %d ms apart, rising, and end now", async (period, stepMs) => {
    const body = (await (await stats(`?period=${period}`)).json()) as Record<string, { x: string }[]>;
    for (const name of allSeries) {
      const nanos = body[name]!.map(({ x }) => toNanos(x));
      const steps = nanos.slice(1).map((value, index) => value - nanos[index]!);
      expect(new Set(steps), name).toEqual(new Set([BigInt(stepMs) * 1_000_000n]));
      expect(emulator.clock.now() - Number(nanos.at(-1)! / 1_000_000n)).toBeLessThan(5_000);
    }
  });

  test("have whole numbers where the interface says so, and none below zero", async () => {
    for (let step = 0; step < 12; step++) {
      const body = (await (await stats("?period=1d")).json()) as Record<string, number>;
      expect(scalars.filter((name) => !Number.isInteger(body[name]) || body[name]! < 0)).toEqual([]);
      expect(body["monthly_cost"]).toBeGreaterThanOrEqual(0);
      emulator.clock.advance(7_200_000 * 1.1);
    }
  });

  test("show a workload that rises and falls", async () => {
    await emulator.close();
    // In the middle of an import: the points of a day are 24 minutes apart, and would else step over them all
    // at times.
    emulator = await startEmulator({ clock: { now: () => Date.UTC(2026, 0, 1, 12, 10) } });
    const body = (await (await stats("?period=1d")).json()) as Record<string, { y: number }[]>;
    for (const name of allSeries) {
      expect(new Set(body[name]!.map(({ y }) => y)).size, name).toBeGreaterThan(1);
    }
  });

  test.each(["?perido=1h", "?period=1h&x=1", "?period=1h&period=3h", "?period=1H", "?period=60"])(
    "are refused with 400 for %s",
    async (query) => {
      const response = await stats(query);
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: 400, message: expect.stringMatching(/period|parameter/) },
      ]);
    },
  );

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

describe("the statistics' values", () => {
  test("can be set, left out and emptied, for an index of its own", async () => {
    const values = { pending_index_count: 7, monthly_cost: 1.5, days: null, query_throughput: [] };
    expect((await put("docs", values)).status).toBe(200);
    const body = (await (await stats("", undefined, "docs")).json()) as Record<string, unknown>;
    expect(body).toMatchObject({ pending_index_count: 7, monthly_cost: 1.5, query_throughput: [] });
    expect(body).not.toHaveProperty("days");
    expect(await put("docs", undefined, "GET")).toEqual({
      status: 200,
      body: { id: "docs", values, backlog: null },
    });
    expect((await put("docs", undefined, "DELETE")).status).toBe(200);
    expect((await stats("", undefined, "docs")).status).toBe(404);
  });

  test("show a backlog that grows, then one that drains, as the clock goes", async () => {
    await put("demo/backlog", { from: 100, perSecond: 10, to: 1_000 });
    expect(await pending()).toBeLessThan(150);
    emulator.clock.advance(60_000);
    expect(await pending()).toBeGreaterThanOrEqual(700);
    expect(await pending()).toBeLessThan(750);
    emulator.clock.advance(60_000);
    expect(await pending()).toBe(1_000);
    await put("demo/backlog", { perSecond: -100 });
    emulator.clock.advance(5_000);
    expect(await pending()).toBeLessThanOrEqual(500);
    emulator.clock.advance(6_000);
    expect(await pending()).toBe(0);
  });

  test("follow their script again once a backlog is not steered any more", async () => {
    await put("demo/backlog", { from: 9_999_999, perSecond: 0 });
    expect(await pending()).toBe(9_999_999);
    expect((await put("demo/backlog", undefined, "DELETE")).status).toBe(200);
    expect(await pending()).toBeLessThan(9_999_999);
    expect((await put("demo/backlog", undefined, "DELETE")).status).toBe(404);
  });

  test.each([
    ["demo", { pending_index_cuont: 1 }, "pending_index_cuont"],
    ["demo", { pending_index_count: 1.5 }, "pending_index_count"],
    ["demo", { pending_index_count: "1" }, "pending_index_count"],
    ["demo", { query_throughput: 3 }, "query_throughput"],
    ["demo/backlog", {}, "perSecond"],
    ["demo/backlog", { perSecond: 1, from: 5, to: 1 }, "to"],
  ])("are refused at %s as %j with 400 that names %s", async (path, body, field) => {
    expect(await put(path, body)).toEqual({
      status: 400,
      body: { error: expect.stringContaining(field) },
    });
  });
});
