import { BoundedMap } from "../../bounded-map.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { Clock } from "../../ports/clock.ts";

const firstWaitMs = 15_000;
const defaultLongestWaitMs = 5 * 60_000;
/** Forgetting one costs a listing, so the memory is bounded. */
const maxRemembered = 10_000;

/** Spaces the tries for one id: after 15 s, 30 s, … up to the maximum, by the clock of this process. */
export interface PerIdBackoff {
  isDue(dlqId: DlqId): boolean;
  /** True if it was tried before. */
  knows(dlqId: DlqId): boolean;
  /** Records a try now. */
  note(dlqId: DlqId): void;
}

export function createPerIdBackoff(
  clock: Pick<Clock, "monotonic">,
  longestWaitMs = defaultLongestWaitMs,
): PerIdBackoff {
  const remembered = new BoundedMap<DlqId, { readonly dueAt: number; readonly waitMs: number }>(
    maxRemembered,
  );
  return {
    isDue: (dlqId) => (remembered.get(dlqId)?.dueAt ?? 0) <= clock.monotonic(),
    knows: (dlqId) => remembered.has(dlqId),
    note(dlqId) {
      const waitMs = Math.min((remembered.get(dlqId)?.waitMs ?? firstWaitMs / 2) * 2, longestWaitMs);
      remembered.set(dlqId, { dueAt: clock.monotonic() + waitMs, waitMs });
    },
  };
}
