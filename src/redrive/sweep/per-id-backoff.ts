import type { DlqId } from "../../message/dead-letter.ts";
import type { Clock } from "../../ports/clock.ts";

const firstWaitMs = 15_000;
const defaultLongestWaitMs = 5 * 60_000;
/** Forgetting costs a listing, so what is remembered may be bounded. */
const maxRemembered = 10_000;

/** Asks ever more rarely for what stays as it is: after 15 s, 30 s, … the longest wait, by the clock of this process. */
export interface Patience {
  isDue(dlqId: DlqId): boolean;
  /** Whether it was asked for before. */
  knows(dlqId: DlqId): boolean;
  /** It was asked for now. */
  note(dlqId: DlqId): void;
}

export function createPatience(
  clock: Pick<Clock, "monotonic">,
  longestWaitMs = defaultLongestWaitMs,
): Patience {
  const remembered = new Map<DlqId, { readonly dueAt: number; readonly waitMs: number }>();
  return {
    isDue: (dlqId) => (remembered.get(dlqId)?.dueAt ?? 0) <= clock.monotonic(),
    knows: (dlqId) => remembered.has(dlqId),
    note(dlqId) {
      if (remembered.size >= maxRemembered) remembered.clear();
      const waitMs = Math.min((remembered.get(dlqId)?.waitMs ?? firstWaitMs / 2) * 2, longestWaitMs);
      remembered.set(dlqId, { dueAt: clock.monotonic() + waitMs, waitMs });
    },
  };
}
