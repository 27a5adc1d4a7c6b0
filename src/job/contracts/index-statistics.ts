/** Numbers and series have the names of service-interface.md 4.4. Integers but for `monthly_cost`. */
export const scalarFields = [
  "pending_index_count",
  "current_vector_count",
  "daily_query_count",
  "daily_update_count",
  "monthly_query_count",
  "monthly_update_count",
  "monthly_bandwidth_usage",
  "storage_usage",
  "monthly_cost",
  "daily_rerank_count",
  "monthly_rerank_count",
] as const;
export type ScalarField = (typeof scalarFields)[number];

export const seriesFields = [
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
export type SeriesField = (typeof seriesFields)[number];

/** An instant to the nanosecond: `epochMs` Unix milliseconds, and `nanos` (0 to 999,999) after them. */
export interface Instant {
  readonly epochMs: number;
  readonly nanos: number;
}

export interface Datapoint {
  readonly at: Instant;
  /** In the service's unit, which its interface does not name. */
  readonly value: number;
}

/** A field of an answer that could not be used: its place, the expectation and the value. */
export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** The part of a reading for gauges and guards. An absent or unusable field is absent. */
export interface IndexSummary {
  readonly scalars: Readonly<Partial<Record<ScalarField, number>>>;
  readonly newest: Readonly<Partial<Record<SeriesField, Datapoint>>>;
  readonly days: readonly string[];
  readonly unusableFields: number;
}

export interface IndexStatistics extends IndexSummary {
  /** Points in the order of the answer; absent, null and empty series are empty. */
  readonly series: Readonly<Record<SeriesField, readonly Datapoint[]>>;
  readonly other: Readonly<Record<string, unknown>>;
  readonly problems: readonly FieldProblem[];
}

/** An index to read: its name in the document, and its name in the service's path. */
export interface IndexTarget {
  readonly name: string;
  readonly id: string;
  readonly period: "1h" | "3h" | "12h" | "1d" | "3d" | "7d" | "30d";
}

export interface IndexCredentials {
  readonly user: string;
  readonly password: string;
}

/**
 * Reads the statistics of search indexes. Guarantees: a call ends within its timeout or when its signal aborts. Nothing
 * is retried inside, and redirects are not followed. Fails with RedriverError `statistics-unavailable`, `unauthorised`,
 * `rate-limited` (with retryAt), `source-misconfigured`, `answer-unreadable` or `stopped`.
 */
export interface StatisticsReader {
  read(index: IndexTarget, credentials: IndexCredentials, signal?: AbortSignal): Promise<IndexStatistics>;
}

export interface IndexReading {
  readonly index: string;
  /** Unix ms by the clock of the replica that read it. */
  readonly readAt: number;
  readonly summary: IndexSummary;
}

/** Points of the last reading, oldest first, for charts: Unix ms and value. A series without points is absent. */
export type IndexSeries = Readonly<
  Partial<Record<SeriesField, readonly (readonly [at: number, value: number])[]>>
>;

/**
 * The last reading of each index, shared by all replicas. Guarantees: every replica reads the reading that
 * one has written. A reading vanishes `staleAfterMs` after it was written, so that nobody sees a frozen
 * number. Fails with RedriverError `redis-unavailable`. Not part of this contract: history.
 */
export interface StatisticsStore {
  write(reading: IndexReading & { readonly series?: IndexSeries }, staleAfterMs: number): Promise<void>;
  /** Readings of these indexes that are not stale, in this order; an index without one is left out. */
  readAll(indexes: readonly string[]): Promise<readonly IndexReading[]>;
  /** Null: it is stale, or was written without. */
  readSeries(index: string): Promise<IndexSeries | null>;
}

export interface IndexGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: { readonly index: string; readonly day?: string };
  readonly value: number;
}

/** Negative when `a` is earlier than `b`, zero when they are the same nanosecond. */
export function compareInstants(a: Instant, b: Instant): number {
  return a.epochMs - b.epochMs || a.nanos - b.nanos;
}

/** `2025-10-19T18:33:05.244068975Z`, with all nine digits. */
export function formatInstant(at: Instant): string {
  return `${new Date(at.epochMs).toISOString().slice(0, -1)}${String(at.nanos).padStart(6, "0")}Z`;
}

/** The documented field a problem belongs to: `vector_count` for `vector_count[3].x`. */
export function baseField(problem: FieldProblem): string {
  return problem.field.replace(/\[.*$/, "");
}
