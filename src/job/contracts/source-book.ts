import type { FailureKind } from "../message/failure-kind.ts";
import type { DrainName, SourceId } from "./ids.ts";

/** How near its expiry a record without a drain is copied: the default of `beforeExpiry.within`. */
export const nearExpiryMs = 12 * 60 * 60_000;

/** Counts of all records of a source. Times in Unix ms. */
export interface Census {
  /** Redis time from before its first listing was sent. */
  readonly at: number;
  /** `pass`: a full pass of a drain without `select` listed everything, so no listing was made for it. */
  readonly counted: "listing" | "pass";
  readonly depth: number;
  readonly unselected: number;
  readonly oldestUnselectedAt: number | null;
  /** Signed come-backs that no drain selects. Nothing counts their attempts any more. */
  readonly strayComeBacks: StrayComeBacks;
  /** What no drain selects by kind of failure, the most first, at most 50. Absent: counted by a pass. */
  readonly unselectedKinds?: readonly UnselectedKind[];
  readonly oldestEnteredAt: number | null;
  readonly earliestExpiryAt: number | null;
  /** By the hour of expiry (Unix time / 1 h), of two days, copied or not. Absent: counted by a pass. */
  readonly expires?: { readonly all: ExpiresByHour; readonly unselected: ExpiresByHour };
  /** Near expiry and not in the archive: they exist only in the DLQ. */
  readonly expiringUnarchived: number;
  /** The same, but only of drains with a `beforeExpiry` that makes no copy. */
  readonly expiringAccepted: number;
  readonly documentHash: string;
  /** Of its drains (`toCountingKey`). Absent: of an earlier version. */
  readonly countingKey?: string;
  /** How many the ledger had marked gone before; absent: counted by a pass. */
  readonly goneBefore?: number;
  /**
   * By drain and kind of failure: what each drain selects, as `FailureCounts` has it. Until a full pass has counted a drain, what had left before is
   * in it (`DrainFacts.gone`), so that what leaves later can be taken off. Absent: counted by a pass.
   */
  readonly selected?: Readonly<Record<DrainName, Readonly<Record<string, number>>>>;
}

export type ExpiresByHour = Readonly<Record<string, number>>;

export interface UnselectedKind extends FailureKind {
  readonly count: number;
  readonly since: number | null;
  /** Absent: nobody can read them, or of an earlier version. */
  readonly sample?: string;
}

export interface StrayComeBacks {
  readonly count: number;
  /** The most frequent, at most three; `status` null: there was no HTTP answer. */
  readonly top: readonly { readonly host: string; readonly status: number | null; readonly count: number }[];
}

/** What is recorded about a source besides its ledger. Fails with `redis-unavailable`. */
export interface SourceBook {
  /**
   * The source id under which this account, a keyed hash of URL and of token, is drained: this one from now
   * on, unless another is recorded. Recorded for the ledger's retention since the last request.
   */
  idOfAccount(urlHash: string, tokenHash: string): Promise<SourceId>;
  /** A read before anything is written: the source id of the account, and whether this id has an address. */
  knownBinding(
    urlHash: string,
    tokenHash: string,
  ): Promise<{ readonly drainedAs: SourceId | null; readonly isBound: boolean }>;
  /**
   * Other source ids that are bound to this address, and whether the ledger of each has something that this
   * one would need. That is an open, pending, parked or cool entry, or a write within the deduplication
   * window. An id is forgotten two retentions after its last `bind`.
   */
  othersAt(
    urlHash: string,
    dedupWindowMs: number,
  ): Promise<readonly { readonly id: SourceId; readonly isInUse: boolean }[]>;
  bind(urlHash: string, tokenHash: string): Promise<"bound" | "same" | "token-changed" | "url-differs">;
  datesMean(): Promise<"entered" | "created" | null>;
  learnDates(meaning: "entered" | "created"): Promise<void>;
  census(): Promise<Census | null>;
  /** Replaces the census unless a newer one (`at`) is known. */
  recordCensus(census: Census): Promise<void>;
  /** What the first census has counted of each drain so far, as `selected`. Null: none counts, or it is told no more. */
  countedSoFar(): Promise<NonNullable<Census["selected"]> | null>;
  /** Forgotten a minute later. */
  tellSoFar(selected: NonNullable<Census["selected"]>): Promise<void>;
}
