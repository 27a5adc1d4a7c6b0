import { beforeAll, describe, expect, test, type TestContext } from "vitest";
import { read, skipLoudly, usePlainClient, type PlainAnswer } from "../../../support/plain-client.ts";
import { isElsewhere, testTimeoutMs, type StatisticsUnderTest } from "../../../support/service-under-test.ts";

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
  if (client.service.stats !== undefined) answer = await get(client.service.stats, "");
}, testTimeoutMs);

const stats = (context: TestContext): StatisticsUnderTest =>
  client.service.stats ?? skipLoudly(context, "CONFORMANCE_STATS_URL is not set");

async function get(
  { url, credentials, index }: StatisticsUnderTest,
  query: string,
  id = index,
): Promise<PlainAnswer> {
  const headers = { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
  return read(await fetch(`${url}/v2/search/${encodeURIComponent(id)}/stats${query}`, { headers }));
}

const fieldOf = (context: TestContext, name: string, from = answer): unknown => {
  stats(context);
  expect(from.status).toBe(200);
  return (from.body as Record<string, unknown>)[name];
};

/** The series, which a service with little data may leave out or empty. */
function seriesOf(context: TestContext, name: string, from = answer): Datapoint[] {
  const series = fieldOf(context, name, from) as Datapoint[] | undefined;
  if (isElsewhere && (series === undefined || series.length === 0)) {
    skipLoudly(context, "this index has no such data");
  }
  expect(series).toBeInstanceOf(Array);
  return series!;
}

/** The documented form, which is not ISO: `2025-10-19 18:33:05.244068975 +0000 UTC`. */
const timestamp = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.(\d{3}|\d{9}) \+0000 UTC$/;

function toMs(x: string): number {
  const [, date, time, fraction] = timestamp.exec(x)!;
  return Date.parse(`${date}T${time}.${fraction!.slice(0, 3)}Z`);
}

describe("4.4 request", () => {
  test("id: an unknown index answers 404 with code and message", async (context) => {
    expect(await get(stats(context), "", client.fresh("index"))).toMatchObject({
      status: 404,
      body: { code: expect.anything() as unknown, message: expect.any(String) as unknown },
    });
  });

  test("period: default 1h", async (context) => {
    const span = (from: PlainAnswer): number => {
      const moments = seriesOf(context, "query_throughput", from).map(({ x }) => toMs(x));
      return moments.at(-1)! - moments[0]!;
    };
    const hour = await get(stats(context), "?period=1h");
    expect(Math.abs(span(answer) - span(hour))).toBeLessThan(120_000);
    expect(span(answer)).toBeLessThanOrEqual(3_600_000);
  });

  test("period: any other value is refused with 400, code and message", async (context) => {
    for (const period of ["2h", "1H", "60", "all"]) {
      expect(await get(stats(context), `?period=${period}`), period).toMatchObject({
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
  test.for(integers.split(" "))("%s, an integer", (name, context) => {
    const value = fieldOf(context, name);
    expect(value).toSatisfy(Number.isInteger);
    expect(value).toBeGreaterThanOrEqual(0);
  });

  test("monthly_cost, a number, and days, names of days of the week", (context) => {
    expect(fieldOf(context, "monthly_cost")).toSatisfy((cost: number) => Number.isFinite(cost) && cost >= 0);
    const days = fieldOf(context, "days") as string[];
    expect(days.length).toBeGreaterThan(0);
    for (const day of days) expect(day).toMatch(/^(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day$/);
  });
});

test.for(allSeries)("4.4 response series: %s, an array of datapoints", (name, context) => {
  const series = seriesOf(context, name);
  expect(series.length).toBeGreaterThan(0);
  for (const { x, y } of series) {
    expect(x).toMatch(timestamp);
    expect(y).toBeGreaterThanOrEqual(0);
  }
});

describe("8 limits", () => {
  test.for(periods.filter((period) => period !== "30d"))(
    "Datapoints per series, every period except 30d: 60 for %s",
    async (period, context) => {
      const from = await get(stats(context), `?period=${period}`);
      for (const name of allSeries) expect(seriesOf(context, name, from), name).toHaveLength(60);
    },
  );

  test("Datapoints per series for period 30d: 240, at 3-hour intervals", async (context) => {
    const from = await get(stats(context), "?period=30d");
    for (const name of allSeries) {
      const moments = seriesOf(context, name, from).map(({ x }) => toMs(x));
      expect(moments, name).toHaveLength(240);
      const steps = moments.slice(1).map((moment, index) => moment - moments[index]!);
      expect(new Set(steps), name).toEqual(new Set([threeHoursMs]));
    }
  });
});
