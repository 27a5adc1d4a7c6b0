import type { Clock } from "../contracts/clock.ts";
import type { DrainName, PassId } from "../contracts/ids.ts";
import type { FindNewer } from "../rules/record-facts.ts";

/** A window that begins later lists anew, unless the listing itself took long. */
const maxAgeMs = 15 * 60_000;
const maxAgeInListings = 10;

export type NewestOfPasses = ReturnType<typeof createNewestOfPasses>;

export interface WindowOfPass {
  readonly drain: DrainName;
  readonly passId: PassId;
  readonly documentHash: string;
  /** The lower end of what it must know, Unix ms. The upper one is the pass's. */
  readonly from: number;
  readonly isStopping: () => boolean;
}

interface Listed extends Omit<WindowOfPass, "drain" | "isStopping"> {
  readonly newer: Promise<FindNewer>;
  /** By clock.monotonic(). */
  freshTo: number;
}

/**
 * What the windows of a pass know of newer letters: they share one listing in each process (page/newest.ts). The last
 * one of each drain is kept.
 */
export function createNewestOfPasses({ monotonic }: Pick<Clock, "monotonic">) {
  const known = new Map<DrainName, Listed>();
  const begin = (
    { drain, passId, documentHash, from }: WindowOfPass,
    list: () => Promise<FindNewer>,
  ): Listed => {
    const begunAt = monotonic();
    const listed: Listed = { passId, documentHash, from, newer: list(), freshTo: Infinity };
    known.set(drain, listed);
    const settled = async (): Promise<void> => {
      try {
        await listed.newer;
        listed.freshTo = monotonic() + Math.max(maxAgeMs, maxAgeInListings * (monotonic() - begunAt));
      } catch {
        if (known.get(drain) === listed) known.delete(drain);
      }
    };
    void settled();
    return listed;
  };
  return {
    /** Throws as `list` does. */
    async of(window: WindowOfPass, list: () => Promise<FindNewer>): Promise<FindNewer> {
      for (;;) {
        const { passId, documentHash, from } = window;
        const before = known.get(window.drain);
        const isFresh =
          before?.passId === passId &&
          before.documentHash === documentHash &&
          before.from <= from &&
          monotonic() <= before.freshTo;
        if (!isFresh) return begin(window, list).newer;
        try {
          return await before.newer;
        } catch (error) {
          // Another window's stop has ended its listing, or it failed: this one lists for itself.
          if (window.isStopping()) throw error;
        }
      }
    },
  };
}
