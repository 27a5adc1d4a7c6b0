import type { Census } from "./source-book.ts";
import type { DrainName, SourceId } from "./ids.ts";
import type { LanesCounted } from "./lanes.ts";
import type { RecordedFailure, StandingFailure } from "./failures.ts";
import type { LedgerSummary } from "./ledger.ts";
import type { DrainFacts } from "./passes.ts";
import type { QueueSample } from "./queue-series.ts";

/** Facts about the DLQs for metrics and status, read from Redis: equal in every replica. */
export interface QueueFacts {
  readonly documentHash: string;
  /** Memory that Redis uses, as a share of maxmemory, of the fullest master; null if there is no limit. */
  readonly redisMemoryShare: number | null;
  readonly redisFit: boolean;
  readonly drains: readonly {
    readonly drain: DrainName;
    readonly source: SourceId;
    readonly acting: boolean;
    readonly guards: readonly { readonly index: string; readonly effect: "open" | "closed" }[];
    readonly facts: DrainFacts | null;
    readonly retentionMs: number;
    readonly selectsEverything: boolean;
    /** Other drains of the source may list the same. */
    readonly mayShare?: boolean;
    /** It was last counted when other drains of its source, or as others: a sum of them is of some that are certain. */
    readonly isOutdated?: boolean;
    /** Neither a pass nor a census has counted the drain as it is: its numbers are of what was listed so far. */
    readonly stillCounting: boolean;
    readonly destinations: readonly Destination[];
  }[];
  readonly sources: readonly {
    readonly source: SourceId;
    readonly summary: LedgerSummary | null;
    readonly censusEveryMs: number;
    readonly census: (Census & { readonly isOutdated?: boolean }) | null;
    /** What the first census has counted of each drain, while it lists. */
    readonly soFar?: Census["selected"] | null;
    readonly depth: Depth | null;
    readonly expiring: Expiring;
    /** Null: no two drains may list the same. */
    readonly shared: SharedRecords | null;
    readonly failures: readonly RecordedFailure[];
    /** The busiest, which are few: there may be a lane for every customer. Null if no drain has lanes. */
    readonly lanes: LanesCounted | null;
  }[];
}

export interface Destination extends QueueSample {
  /** As lanes name it; `(other)` for those that are counted together. */
  readonly origin: string;
  /** Of what waits: counted by the census, and not listed by the first full pass yet. */
  readonly unseen: number;
  /** Unix ms: what of these expires from then on is counted until the next full pass. Absent: none has. */
  readonly expiredSince?: number;
  /** Of these, what another drain counts for the source. Absent: nothing. */
  readonly again?: SharedRecords;
  /** Entry of the first dead letter that is known of what waits or is parked there, Unix ms; null: nothing does. */
  readonly failingSince: number | null;
}

export interface Depth {
  /** Records in the DLQ of a source, those to be deleted included. */
  readonly count: number;
  /** False: estimated from counts, arrivals and deletes since. */
  readonly exact: boolean;
  /** Nothing has counted the whole source yet: there are at least so many. */
  readonly stillCounting: boolean;
}

/** What of a source expires within a day. Times are Unix ms. */
export interface Expiring {
  /** Null: something was not counted yet. */
  readonly count: number | null;
  /** The same, or what was listed so far. */
  readonly atLeast: number;
  /** They expire before this: the end of the hour that is 24 h from now. */
  readonly by: number;
  /** When they were counted. What is done since is taken away; what expires or arrives is counted next time. */
  readonly asOf: number | null;
  readonly groups: readonly ExpiringGroup[];
}

/** Of a kind of failure, each record once. Failure null: of no drain, as the census counted. */
export interface ExpiringGroup {
  readonly failure: string | null;
  readonly origin: string | null;
  readonly count: number;
  /** None of them expires before this. */
  readonly earliestAt: number;
  /** So many of them expire in the UTC hour of `earliestAt`. Null: not known. */
  readonly inFirstHour: number | null;
  /** At least so many have a copy, as the last census met them. Null: not known. */
  readonly copied: number | null;
  readonly drains: readonly ExpiringOfDrain[];
}

export interface ExpiringOfDrain extends Pick<StandingFailure, "waiting" | "parked" | "ruled"> {
  readonly drain: DrainName;
  readonly count: number;
}

/** What a sum over the drains of a source counts too often: several of them list it (`toAgainId`). */
export interface SharedRecords {
  readonly waiting: number;
  readonly parked: number;
  /** At most so many: of a part of the drains, and who counts a record may be another one. */
  readonly isAtMost?: true;
}

export const maxLanesShown = 20;

/**
 * The ledger counts open and unknown outcomes per source, passes saw them per drain. The sum is always the ledger's.
 * Each drain has at most the count of its last pass. The only drain of a source has all. Any excess belongs
 * to no drain.
 */
export function toInDoubt(
  count: number,
  drains: readonly Pick<QueueFacts["drains"][number], "drain" | "facts">[],
): ReadonlyMap<string, number> {
  const [only, ...others] = drains;
  if (only !== undefined && others.length === 0) return new Map([[only.drain, count]]);
  const counts = new Map<string, number>();
  let left = count;
  for (const { drain, facts } of drains) {
    const own = Math.min(facts?.inDoubt ?? 0, left);
    counts.set(drain, own);
    left -= own;
  }
  return counts.set("none", left);
}
