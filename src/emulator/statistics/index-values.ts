import { z } from "zod";

const integerNames = [
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
] as const;

const seriesNames = [
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
] as const;

export type IntegerName = (typeof integerNames)[number];
export type SeriesName = (typeof seriesNames)[number];

const fields = <N extends string, T extends z.ZodType>(names: readonly N[], type: T): Record<N, T> =>
  Object.fromEntries(names.map((name) => [name, type])) as Record<N, T>;

/** Values set by hand instead of the scripted ones. `null` leaves the field out of the answer. */
export const indexValuesSchema = z
  .strictObject({
    ...fields(integerNames, z.number().int().min(0).nullable()),
    ...fields(seriesNames, z.array(z.strictObject({ x: z.string(), y: z.number() })).nullable()),
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
