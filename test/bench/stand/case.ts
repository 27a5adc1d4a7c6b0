import type { Distribution, Order } from "../service/records.ts";
import type { DrainOptions } from "./document.ts";

export const contenders = ["floor", "loop", "drain", "run"] as const;
/** `drain` and `run` are redriver's commands. */
export type Contender = (typeof contenders)[number];

/** What is measured: who drains which queue, and how the service behaves. */
export interface Case {
  readonly contender: Contender;
  readonly messages: number;
  readonly latencyMs: number;
  readonly distribution: Distribution;
  readonly order: Order;
  readonly bodyBytes: number;
  /** Of `run`. */
  readonly replicas: number;
  /** Calls in flight, of the floor. */
  readonly parallel: number;
  /** The service's limit of DLQ calls; null: none. */
  readonly callsPerSecond: number | null;
  readonly drain: DrainOptions;
  /** Settings of redriver besides its addresses. */
  readonly env: Readonly<Record<string, string>>;
}

export const plainCase: Omit<Case, "contender" | "messages"> = {
  latencyMs: 0,
  distribution: "even",
  order: "earliest-first",
  bodyBytes: 1_500,
  replicas: 1,
  parallel: 8,
  callsPerSecond: null,
  // A daemon's first pass lists everything; this one does not keep it waiting.
  drain: { schedule: "{ every: 1s, full: 30m }" },
  env: {},
};
