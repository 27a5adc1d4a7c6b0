import type { DrainName, SourceId } from "./ids.ts";
import type { LaneState, LaneTotals, LaneView } from "./lanes.ts";
import type { LedgerSummary } from "./ledger.ts";
import type { Census, DrainFacts } from "./passes.ts";

/** Facts about the DLQs, read from Redis: equal in every replica. What metrics and status show. */
export interface QueueFacts {
  /** Of the document that this process works under. */
  readonly documentHash: string;
  /** Memory that Redis uses, as a share of maxmemory, of the fullest master; null if there is no limit. */
  readonly redisMemoryShare: number | null;
  /** False where nothing may be begun on this Redis until it is set up otherwise. */
  readonly redisFit: boolean;
  readonly drains: readonly {
    readonly drain: DrainName;
    readonly source: SourceId;
    /** False in plan mode or while paused. */
    readonly acting: boolean;
    /** One per guard of the drain. */
    readonly guards: readonly { readonly index: string; readonly effect: "open" | "closed" }[];
    /** Null before the first pass has ended. */
    readonly facts: DrainFacts | null;
    readonly retentionMs: number;
  }[];
  readonly sources: readonly {
    readonly source: SourceId;
    /** Null where the ledger could not be read. */
    readonly summary: LedgerSummary | null;
    /** How often the document asks for a census. */
    readonly censusEveryMs: number;
    /** Null before the first census. */
    readonly census: Census | null;
    /** Null where no drain of it has lanes. */
    readonly lanes: LanesSeen | null;
  }[];
}

/** How the lanes of a source stand, for metrics. */
export interface LanesSeen {
  /** Those with most records. They are few, because there may be a lane for every customer. */
  readonly busiest: readonly LaneView[];
  /** Of all. */
  readonly counts: Readonly<Record<LaneState, number>>;
  /** Of all: what is not of the busiest is the difference. */
  readonly totals: LaneTotals;
}

/** Lanes that metrics and status show one by one. */
export const maxLanesShown = 20;

/**
 * The ledger counts unknown outcomes per source, passes saw them per drain. The sum is always the ledger's;
 * each drain has at most what its last pass saw, the only drain of a source has all, and what is left is
 * nobody's.
 */
export function toInDoubt(
  unknown: number,
  drains: readonly Pick<QueueFacts["drains"][number], "drain" | "facts">[],
): ReadonlyMap<string, number> {
  const [only, ...others] = drains;
  if (only !== undefined && others.length === 0) return new Map([[only.drain, unknown]]);
  const counts = new Map<string, number>();
  let left = unknown;
  for (const { drain, facts } of drains) {
    const own = Math.min(facts?.inDoubt ?? 0, left);
    counts.set(drain, own);
    left -= own;
  }
  return counts.set("none", left);
}
