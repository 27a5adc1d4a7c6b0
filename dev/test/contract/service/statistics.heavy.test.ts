import { beforeAll, describe, expect, test } from "vitest";
import { read, usePlainClient, type PlainAnswer } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

interface Datapoint {
  readonly x: string;
  readonly y: number;
}

/** Names of every series that the statistics of a search index tell. */
const allSeries = (
  "daily_update_requests daily_query_requests daily_bandwidths daily_rerank_requests query_throughput update_throughput " +
  "query_latency_mean query_latency_99 update_latency_mean update_latency_99 embeds_latency_mean " +
  "embeds_latency_99 rerank_latency_mean rerank_latency_99 vector_count data_size"
).split(" ");
const periods = ["1h", "3h", "12h", "1d", "3d", "7d", "30d"] as const;
const threeHoursMs = 3 * 3_600_000;
const client = await usePlainClient();
/** One answer without a period, for the field by field tests. */
let answer: PlainAnswer;
beforeAll(async () => {
  answer = await get("");
}, testTimeoutMs);

const { url, credentials, index } = client.service.stats;

async function get(query: string, id = index): Promise<PlainAnswer> {
  const headers = { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
  return read(await fetch(`${url}/v2/search/${encodeURIComponent(id)}/stats${query}`, { headers }));
}

const fieldOf = (name: string, from = answer): unknown => {
  expect(from.status).toBe(200);
  return (from.body as Record<string, unknown>)[name];
};

function seriesOf(name: string, from = answer): Datapoint[] {
  const series = fieldOf(name, from) as Datapoint[];
  expect(series).toBeInstanceOf(Array);
  return series;
}

/** The documented form, which is not ISO: `2025-10-19 18:33:05.244068975 +0000 UTC`. */
const timestamp = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.(\d{3}|\d{9}) \+0000 UTC$/;

function toMs(x: string): number {
  const [, date, time, fraction] = timestamp.exec(x)!;
  return Date.parse(`${date}T${time}.${fraction!.slice(0, 3)}Z`);
}

describe("4.4 request", () => {
  test("id: an unknown index answers 404 with code and message", async () => {
    expect(await get("", client.fresh("index"))).toMatchObject({
      status: 404,
      body: { code: expect.anything() as unknown, message: expect.any(String) as unknown },
    });
  });

  test("period: default 1h", async () => {
    const [own, hour] = [answer, await get("?period=1h")].map((from) => {
      const moments = seriesOf("query_throughput", from).map(({ x }) => toMs(x));
      return moments.at(-1)! - moments[0]!;
    });
    expect(Math.abs(own! - hour!)).toBeLessThan(120_000);
    expect(own).toBeLessThanOrEqual(3_600_000);
  });

  test("period: any other value is refused with 400, code and message", async () => {
    for (const period of ["2h", "1H", "60", "all"]) {
      expect(await get(`?period=${period}`), period).toMatchObject({
        status: 400,
        body: { code: expect.anything() as unknown, message: expect.any(String) as unknown },
      });
    }
  });
});

describe("4.4 response fields", () => {
  const integers =
    "pending_index_count current_vector_count daily_query_count daily_update_count monthly_query_count " +
    "monthly_update_count monthly_bandwidth_usage storage_usage daily_rerank_count monthly_rerank_count";
  test.each(integers.split(" "))("%s, an integer", (name) => {
    const value = fieldOf(name);
    expect(value).toSatisfy(Number.isInteger);
    expect(value).toBeGreaterThanOrEqual(0);
  });

  test("monthly_cost, a number, and days, names of days of the week", () => {
    expect(fieldOf("monthly_cost")).toSatisfy((cost: number) => Number.isFinite(cost) && cost >= 0);
    const days = fieldOf("days") as string[];
    expect(days.length).toBeGreaterThan(0);
    for (const day of days) expect(day).toMatch(/^(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day$/);
  });
});

test.each(allSeries)("4.4 response series: %s, an array of datapoints", (name) => {
  const series = seriesOf(name);
  expect(series.length).toBeGreaterThan(0);
  for (const { x, y } of series) {
    expect(x).toMatch(timestamp);
    expect(y).toBeGreaterThanOrEqual(0);
  }
});

describe("8 limits", () => {
  test.each(periods.filter((period) => period !== "30d"))(
    "Datapoints per series, every period except 30d: 60 for %s",
    async (period) => {
      const from = await get(`?period=${period}`);
      for (const name of allSeries) expect(seriesOf(name, from), name).toHaveLength(60);
    },
  );

  test("Datapoints per series for period 30d: 240, at 3-hour intervals", async () => {
    const from = await get("?period=30d");
    for (const name of allSeries) {
      const moments = seriesOf(name, from).map(({ x }) => toMs(x));
      expect(moments, name).toHaveLength(240);
      const steps = moments.slice(1).map((moment, index) => moment - moments[index]!);
      expect(new Set(steps), name).toEqual(new Set([threeHoursMs]));
    }
  });
});
