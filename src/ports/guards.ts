import type { DrainConfig } from "./drains.ts";
import type { DrainName } from "./ids.ts";
import type { ScalarField } from "./statistics.ts";

/** What is recorded of one guard of a drain. */
export interface GuardMemory {
  /** What the last reading made of it; between the two thresholds it stays as it is. */
  readonly state: "open" | "closed";
  /** What it did: its state, or what `whenStale` says while there is no fresh reading. */
  readonly effect: "open" | "closed";
  /** `readAt` of the reading that was judged last, Unix ms; 0: none yet. */
  readonly readAt: number;
}

/**
 * What the guards of one source's drains remember, shared by all replicas. Guarantees: one step per call; a
 * memory of an older reading never replaces one of a newer. Forgotten when nobody has recorded it for a week.
 * Fails with `redis-unavailable`.
 */
export interface GuardBook {
  /** In the order of `guards`, which are unique names in the drain; null where nothing is remembered. */
  recall(drain: DrainName, guards: readonly string[]): Promise<readonly (GuardMemory | null)[]>;
  /** Answers the effect that it replaced ("open" where there was none), or null when a newer one is kept. */
  record(drain: DrainName, guard: string, memory: GuardMemory): Promise<GuardMemory["effect"] | null>;
}

/** How one guard of a drain stands now. */
export interface GuardStanding {
  readonly index: string;
  readonly field: ScalarField;
  readonly effect: "open" | "closed";
  /** `stale`: there is no fresh reading with that field, and `whenStale` decides. */
  readonly why: "reading" | "stale";
  /** Of the reading; null when stale. */
  readonly value: number | null;
}

/**
 * The guards of one source's drains. A guard closes when a reading matches `hold` and opens when one matches
 * `resume`; while there is none, `whenStale` decides and the state is kept. Guarantees: an answer is at most
 * 5 s old; when the last closed guard of a drain opens, its next pass is made a full one, which finds what
 * was held. Fails with `redis-unavailable`.
 */
export interface Guards {
  /** In the order of the drain's guards; without any, nothing is asked. */
  standings(drain: DrainConfig): Promise<readonly GuardStanding[]>;
  /** The same as read just now, without effects: nothing is recorded, reported or made to happen. */
  peek(drain: DrainConfig): Promise<readonly GuardStanding[]>;
}
