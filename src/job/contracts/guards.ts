import type { DrainConfig } from "./drains-document.ts";
import type { DrainName } from "./ids.ts";
import type { ScalarField } from "./index-statistics.ts";

export interface GuardMemory {
  /** The effect of the last reading. A value between the two thresholds changes nothing. */
  readonly state: "open" | "closed";
  /** Its state, or `whenStale` if there is no fresh reading. */
  readonly effect: "open" | "closed";
  /** `readAt` of the last judged reading, Unix ms; 0: none yet. */
  readonly readAt: number;
}

/**
 * The recorded state of the guards of one source's drains, shared by all replicas. Guarantees: one step per
 * call. A state from an older reading never replaces one from a newer. Forgotten if nobody has recorded it
 * for a week. Fails with `redis-unavailable`.
 */
export interface GuardBook {
  /** In the order of `guards`, which are unique names in the drain; null if nothing is recorded. */
  recall(drain: DrainName, guards: readonly string[]): Promise<readonly (GuardMemory | null)[]>;
  /** Answers the replaced effect ("open" if there was none), or null if a newer one is recorded. */
  record(drain: DrainName, guard: string, memory: GuardMemory): Promise<GuardMemory["effect"] | null>;
}

export interface GuardStanding {
  readonly index: string;
  readonly field: ScalarField;
  readonly effect: "open" | "closed";
  /** `stale`: there is no fresh reading with that field, and `whenStale` decides. */
  readonly why: "reading" | "stale";
  readonly value: number | null;
}

/**
 * The guards of one source's drains. A guard closes when a reading matches `hold` and opens when one matches
 * `resume`. While there is none, `whenStale` decides and the state is kept. Guarantees: an answer is at most
 * 5 s old. When the last closed guard of a drain opens, its next pass is a full one, which finds the held
 * records. Fails with `redis-unavailable`.
 */
export interface Guards {
  /** In the order of the drain's guards. Without guards, nothing is asked. */
  standings(drain: DrainConfig): Promise<readonly GuardStanding[]>;
  /** The same from a fresh read, without effects: nothing is recorded, reported or changed. */
  peek(drain: DrainConfig): Promise<readonly GuardStanding[]>;
}
