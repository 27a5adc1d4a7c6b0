import type { DrainName, SourceId } from "./ids.ts";
import type { LedgerSummary } from "./ledger.ts";
import type { DrainFacts } from "./passes.ts";

/** Facts about the DLQs, read from Redis: equal in every replica. What metrics and status show. */
export interface QueueFacts {
  readonly drains: readonly {
    readonly drain: DrainName;
    readonly source: SourceId;
    /** False in plan mode or while paused. */
    readonly acting: boolean;
    /** Null before the first pass has ended. */
    readonly facts: DrainFacts | null;
    readonly retentionMs: number;
  }[];
  readonly sources: readonly {
    readonly source: SourceId;
    /** Null where the ledger could not be read. */
    readonly summary: LedgerSummary | null;
  }[];
}
