import { expect, it } from "vitest";
import type { QueueFacts } from "../../../../src/job/contracts/queue-facts.ts";
import { readSamples, toChartMinutes, toQueueChart } from "../../../../src/people/read/queue-chart.ts";
import { toKindsSample, toQueueSample } from "../../../../src/people/read/queue-sample.ts";

const at = Date.UTC(2026, 10, 20, 10, 17, 30);
const minuteMs = 60_000;
const sample = (waiting: number, arrived: number, published = 0, failedAgain = 0) => ({
  waiting,
  parked: 0,
  arrived,
  published,
  failedAgain,
});

it("asks for minutes that are kept as long as its range", () => {
  const last = Math.floor(at / minuteMs);
  expect(toChartMinutes("1h", at)).toHaveLength(61);
  expect(toChartMinutes("1h", at).at(-1)).toBe(last);
  for (const range of ["24h", "7d"] as const) {
    expect(toChartMinutes(range, at).every((minute) => minute % 10 === 0)).toBe(true);
  }
  expect(toChartMinutes("6h", at)[0]).toBeGreaterThanOrEqual(last - 363);
});

it("what moved since the last known point stands at the next one, so the bars are the sums", () => {
  const chart = toQueueChart([10, 11, 12, 13], [null, sample(5, 100, 3), null, sample(9, 104, 3, 1)], {
    at: 13.5 * minuteMs,
    sample: sample(8, 104, 5, 1),
  });
  expect(chart.waiting.map(([, count]) => count)).toEqual([null, 5, null, 9, 8]);
  expect(chart.moved.arrived.map(([, count]) => count)).toEqual([null, null, 4, 0]);
  expect(chart.moved.published.map(([, count]) => count)).toEqual([null, null, 0, 2]);
  expect(chart.sums).toEqual({ arrived: 4, published: 2, failedAgain: 1 });
  expect(chart.since).toBe(11 * minuteMs);
});

it("a sample is as of the time that it was counted at, so what was sent in its minute before is not in the sum", () => {
  const countedAt = 10 * minuteMs + 20_400;
  const chart = toQueueChart([10, 11], [{ ...sample(5, 100, 1), at: countedAt }, sample(5, 100, 702)], null);
  expect(chart).toMatchObject({ since: countedAt, sums: { published: 701 } });
});

it.each([
  ["6h", 17],
  ["7d", 17],
  ["7d", 40],
  ["1h", 3],
] as const)(
  "a chart of %s begins with the first sample, which %i minutes ago is of no step",
  async (range, ago) => {
    const [end, asked] = [Math.floor(at / minuteMs), [] as number[]];
    const [minutes, samples] = await readSamples(toChartMinutes(range, at), at, (some) => {
      asked.push(...some);
      return Promise.resolve(some.map((minute) => (minute < end - ago ? null : sample(5, 0, minute))));
    });
    const chart = toQueueChart(minutes, samples, { at, sample: sample(5, 0, end) });
    expect(chart).toMatchObject({ since: (end - ago) * minuteMs, sums: { published: ago } });
    expect(minutes.toSorted((one, other) => one - other)).toEqual(minutes);
    expect(asked.length).toBeLessThan(toChartMinutes(range, at).length + 60);
  },
);

it("begins with its first sample, ten minutes ago at the latest", () => {
  const minutes = Array.from({ length: 61 }, (_, index) => index);
  const of = (firstAt: number) =>
    toQueueChart(
      minutes,
      minutes.map((minute) => (minute < firstAt ? null : sample(5, minute))),
      null,
    );
  expect(of(30)).toMatchObject({ from: 30 * minuteMs, to: 60 * minuteMs });
  expect(of(30).waiting).toHaveLength(31);
  expect(of(59)).toMatchObject({ from: 50 * minuteMs });
  expect(of(0)).toMatchObject({ from: 0, sums: { arrived: 60 } });
});

it("has no number before anything was sampled, and none that is negative", () => {
  expect(toQueueChart([10, 11], [null, null], null)).toMatchObject({ since: null, sums: { arrived: 0 } });
  // Kinds that are forgotten take their counts with them.
  const fallen = toQueueChart([10, 11], [sample(5, 100, 9), sample(5, 90, 2)], null);
  expect(fallen.sums).toEqual({ arrived: 0, published: 0, failedAgain: 0 });
  expect(fallen.moved.published.map(([, count]) => count)).toEqual([0]);
});

const drain = (over: object) =>
  ({
    source: "default",
    drain: "orders",
    stillCounting: false,
    facts: {
      arrivals: 12,
      arrivedAgain: 5,
      failures: [{ id: "a", published: 3, failedAgain: 1, waiting: 4, parked: 0 }],
    },
    destinations: [{ waiting: 4, parked: 2, published: 3, failedAgain: 1, arrived: 40 }],
    ...over,
  }) as unknown as QueueFacts["drains"][number];

it("samples what every drain has counted, and nothing while one has not", () => {
  const shared = { waiting: 3, parked: 0 };
  const sources = [{ shared }, { shared: null }] as unknown as QueueFacts["sources"];
  expect(toQueueSample({ drains: [drain({}), drain({})], sources })).toEqual({
    waiting: 5,
    parked: 4,
    arrived: 14,
    published: 6,
    failedAgain: 2,
  });
  expect(toQueueSample({ drains: [drain({}), drain({ facts: null })], sources })).toBeNull();
  expect(toQueueSample({ drains: [drain({ stillCounting: true })], sources })).toBeNull();
  expect(toQueueSample({ drains: [], sources })).toBeNull();
  expect(toKindsSample({ drains: [drain({}), drain({ source: "eu" })] })).toEqual({
    "default a": [3, 1],
    "eu a": [3, 1],
  });
});
