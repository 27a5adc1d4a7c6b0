import type { Order, RecordsOptions } from "./records.ts";

export interface ServiceOptions extends RecordsOptions {
  readonly order: Order;
  /** Of every answer. */
  readonly latencyMs: number;
  /** How many calls to the DLQ it allows; null: any number. */
  readonly callsPerSecond: number | null;
}

export type Operation = "list" | "batch" | "delete";

export interface Moment {
  /** On the service's monotonic clock, in ms. */
  readonly at: number;
  /** Of the service itself, and of the processes that it watches. */
  readonly cpuMs: readonly number[];
}

export interface ServiceFigures {
  /** Records that were delivered at least once. */
  readonly delivered: number;
  /** Deliveries beyond the first of a record. */
  readonly doubled: number;
  /** Items that are no record's message, or without a deduplication id. */
  readonly broken: number;
  readonly calls: Readonly<Record<Operation, number>>;
  /** Calls that were answered 429; they are among the calls. */
  readonly refused: number;
  readonly listed: number;
  readonly maxInFlight: number;
  /** The first call; null before it. */
  readonly begun: Moment | null;
  /** The last record was deleted; null before it. */
  readonly empty: Moment | null;
}

export interface BatchItem {
  readonly destination: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
