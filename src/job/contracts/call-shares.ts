import type { ServiceOperation } from "./events.ts";

/** How many calls of one operation all replicas together keep in flight, as this replica knows it. */
export interface LearnedLimit {
  readonly limit: number;
  /** How often any replica has cut it. Growth counts only if it began after the last cut. */
  readonly cuts: number;
}

/** A limit of the service for calls that list and delete: so many in every window. */
export interface CallRate {
  readonly calls: number;
  readonly windowMs: number;
}

export interface NamedLimit extends CallRate {
  /** Until the present window ends. */
  readonly resetInMs: number;
  /** The answer was a 429: all replicas take moments from now on. */
  readonly isUsedUp: boolean;
}

export interface CallReport {
  readonly inFlight: number;
  /** The most calls in flight and waiting at once since the last report. 0: this replica is idle. */
  readonly demand: number;
  readonly dlqPerSecond: number;
  /** `isCut`: cut here since the last report. */
  readonly limits: Readonly<Record<ServiceOperation, LearnedLimit & { readonly isCut: boolean }>>;
  /** The last that an answer has named since then; `resetInMs` from now. */
  readonly named: NamedLimit | null;
}

export interface CallShare {
  readonly part: number;
  readonly ofAll: number;
  readonly limits: Readonly<Record<ServiceOperation, LearnedLimit>>;
  /** The known limit, less what others than these replicas seem to use of it; null: none is known. */
  readonly rate: CallRate | null;
  /** All calls that list or delete are to wait for a moment of `takeMoments`. */
  readonly isPaced: boolean;
}

/**
 * What the replicas share about calls to one source.
 *
 * A replica with few calls gets room for some more and leaves the rest, so that one that begins need not wait
 * for the others' next reports.
 *
 * Guarantees: the parts of the living replicas are together at most `service.maxCallsInFlight`, or one each
 * if that is more. A part is given again `shareLeaseMs` after the last report of its replica. Moments are
 * given once, and in a window of the service are no more of them than its limit. Fails with
 * `redis-unavailable`; each replica then keeps its last part.
 */
export interface CallShares {
  exchange(report: CallReport): Promise<CallShare>;
  /** The next free ones, ms from now. All replicas take them until little is asked for. Null: no limit. */
  takeMoments(count: number): Promise<readonly number[] | null>;
}

export const shareEveryMs = 1_000;
/** Two reports may be late before a replica is taken for dead. */
export const shareLeaseMs = 3_500;
