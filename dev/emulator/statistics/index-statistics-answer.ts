import { z } from "zod";
import {
  backlog,
  dayStart,
  jitter,
  monthStart,
  queriesSince,
  queryRate,
  updateRate,
  updatesSince,
  vectorCount,
  type Workload,
} from "./scripted-index-load.ts";

const hourMs = 3_600_000;

/** Hours of each period; 60 points each, except 30d with one every three hours. */
const periods = { "1h": 1, "3h": 3, "12h": 12, "1d": 24, "3d": 72, "7d": 168, "30d": 720 } as const;

export type Period = keyof typeof periods;
export const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text);
export const periodNames = Object.keys(periods);

const bytesPerQuery = 6_144;
const bytesPerUpdate = 4_096;
const bytesPerVector = 6_144;
const costPerRequest = 0.4 / 100_000;
const rerankShare = 0.1;

type Value = (workload: Workload, ms: number, stepMs: number) => number;

const updates: Value = (w, ms, stepMs) => Math.round((updateRate(w, ms) * stepMs) / 1_000);
const queries: Value = (w, ms, stepMs) => Math.round((queryRate(w, ms) * stepMs) / 1_000);
const reranks = (count: number): number => Math.round(count * rerankShare);
const bandwidth = (queryCount: number, updateCount: number): number =>
  queryCount * bytesPerQuery + updateCount * bytesPerUpdate;
const queryLatency: Value = (w, ms) => 8 + queryRate(w, ms) / 10 + 2 * jitter(ms);
const updateLatency: Value = (w, ms) => 12 + backlog(w, ms) / 2_000 + 3 * jitter(ms + 1_000);
const embedsLatency: Value = (_w, ms) => 45 + 10 * jitter(ms + 2_000);
const rerankLatency: Value = (_w, ms) => 90 + 20 * jitter(ms + 3_000);
const times =
  (value: Value, factor: number): Value =>
  (w, ms, stepMs) =>
    value(w, ms, stepMs) * factor;

const series = {
  daily_update_requests: updates,
  daily_query_requests: queries,
  daily_bandwidths: (w, ms, stepMs) => bandwidth(queries(w, ms, stepMs), updates(w, ms, stepMs)),
  daily_rerank_requests: (w, ms, stepMs) => reranks(queries(w, ms, stepMs)),
  query_throughput: queryRate,
  update_throughput: updateRate,
  query_latency_mean: queryLatency,
  query_latency_99: times(queryLatency, 3.2),
  update_latency_mean: updateLatency,
  update_latency_99: times(updateLatency, 3.5),
  embeds_latency_mean: embedsLatency,
  embeds_latency_99: times(embedsLatency, 2.4),
  rerank_latency_mean: rerankLatency,
  rerank_latency_99: times(rerankLatency, 2.1),
  vector_count: vectorCount,
  data_size: times(vectorCount, bytesPerVector),
} satisfies Record<string, Value>;

function numbers(w: Workload, now: number) {
  const queriesOfDay = queriesSince(w, dayStart(now), now);
  const queriesOfMonth = queriesSince(w, monthStart(now), now);
  const updatesOfMonth = updatesSince(w, monthStart(now), now);
  return {
    pending_index_count: backlog(w, now),
    current_vector_count: vectorCount(w, now),
    daily_query_count: queriesOfDay,
    daily_update_count: updatesSince(w, dayStart(now), now),
    monthly_query_count: queriesOfMonth,
    monthly_update_count: updatesOfMonth,
    monthly_bandwidth_usage: bandwidth(queriesOfMonth, updatesOfMonth),
    storage_usage: vectorCount(w, now) * bytesPerVector,
    monthly_cost: Number(((queriesOfMonth + updatesOfMonth) * costPerRequest).toFixed(4)),
    daily_rerank_count: reranks(queriesOfDay),
    monthly_rerank_count: reranks(queriesOfMonth),
  };
}

const integer = z.number().int().min(0).nullable();
const points = z.array(z.strictObject({ x: z.string(), y: z.number() })).nullable();
const shape = <Fields extends object, Type>(fields: Fields, type: Type) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, type])) as Record<keyof Fields, Type>;

/** Values set by hand instead of the scripted ones. `null` leaves the field out of the answer. */
export const indexValuesSchema = z
  .strictObject({
    ...shape(numbers({ scale: 1, steered: undefined }, 0), integer),
    ...shape(series, points),
    monthly_cost: z.number().min(0).nullable(),
    days: z.array(z.string()).nullable(),
  })
  .partial();

export type IndexValues = Readonly<z.infer<typeof indexValuesSchema>>;

/** A backlog that grows or drains from the moment it was set, on the emulator's clock. */
export const backlogSchema = z
  .strictObject({
    /** Where it starts; default what is pending now. */
    from: z.number().int().min(0).optional(),
    /** Negative: it drains. */
    perSecond: z.number().min(-1e9).max(1e9),
    /** Where it stops; default 0 for one that drains, nowhere for one that grows. */
    to: z.number().int().min(0).optional(),
  })
  .refine(
    ({ from, to, perSecond }) => from === undefined || to === undefined || (to - from) * perSecond >= 0,
    {
      path: ["to"],
      error: "it moves away from there",
    },
  );

export type BacklogPlan = z.infer<typeof backlogSchema>;

/** The answer for one index at one moment. What was set replaces what is scripted; null leaves it out. */
export function indexStatistics(
  workload: Workload,
  period: Period,
  now: number,
  set: IndexValues,
): Record<string, unknown> {
  const values = {
    ...numbers(workload, now),
    days: dayNames(now),
    ...allSeries(workload, period, now),
    ...set,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function allSeries(workload: Workload, period: Period, now: number): Record<string, unknown> {
  const points = period === "30d" ? 240 : 60;
  const stepMs = (periods[period] * hourMs) / points;
  // The same for every point, so that they are exactly one step apart.
  const belowMs = (Math.floor(now) * 7_919) % 1_000_000;
  const result: Record<string, unknown> = {};
  for (const [index, [name, value]] of Object.entries(series).entries()) {
    // Both forms of the timestamp occur in one answer.
    const fractionDigits = index % 2 === 0 ? 9 : 3;
    result[name] = Array.from({ length: points }, (_, point) => {
      const ms = now - (points - 1 - point) * stepMs;
      return {
        x: formatTimestamp(ms, fractionDigits, belowMs),
        y: Number(value(workload, ms, stepMs).toFixed(3)),
      };
    });
  }
  return result;
}

/** The last seven days, today last. */
function dayNames(now: number): string[] {
  const format = new Intl.DateTimeFormat("en-US", { weekday: "long", timeZone: "UTC" });
  return Array.from({ length: 7 }, (_, day) => format.format(now - (6 - day) * 24 * hourMs));
}

/**
 * `2025-10-19 18:33:05.244068975 +0000 UTC`, or with three fraction digits: the form the service writes.
 * `belowMs` are the nanoseconds below the millisecond, 0 to 999,999.
 */
export function formatTimestamp(ms: number, fractionDigits: 3 | 9, belowMs = 0): string {
  const [date, time] = new Date(ms).toISOString().slice(0, -1).split("T") as [string, string];
  const below = fractionDigits === 9 ? String(belowMs).padStart(6, "0") : "";
  return `${date} ${time}${below} +0000 UTC`;
}
