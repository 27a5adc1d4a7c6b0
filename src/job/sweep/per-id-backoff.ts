import { BoundedMap } from "../../bounded-map.ts";
import type { DlqId } from "../message/dead-letter.ts";
import type { Clock } from "../contracts/clock.ts";

const firstWaitMs = 15_000;
const defaultMaxWaitMs = 5 * 60_000;
/** Forgetting one costs a listing, so the memory is bounded. */
const maxRemembered = 10_000;

export type PerIdBackoff = ReturnType<typeof createPerIdBackoff>;

export function createPerIdBackoff(clock: Pick<Clock, "monotonic">, maxWaitMs = defaultMaxWaitMs) {
  const remembered = new BoundedMap<DlqId, { readonly dueAt: number; readonly waitMs: number }>(
    maxRemembered,
  );
  return {
    isDue: (dlqId: DlqId): boolean => (remembered.get(dlqId)?.dueAt ?? 0) <= clock.monotonic(),
    knows: (dlqId: DlqId): boolean => remembered.has(dlqId),
    note(dlqId: DlqId): void {
      const waitMs = Math.min((remembered.get(dlqId)?.waitMs ?? firstWaitMs / 2) * 2, maxWaitMs);
      remembered.set(dlqId, { dueAt: clock.monotonic() + waitMs, waitMs });
    },
  };
}
