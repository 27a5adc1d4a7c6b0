import type { DlqId } from "../../../src/message/dead-letter.ts";
import type { CopyBook } from "../../../src/ports/archive.ts";
import type { Clock } from "../../../src/ports/clock.ts";

/** Copies known to this process. An id is known for `lifeMs` after it was noted or last asked about. */
export function createMemoryCopyBook(
  clock: Pick<Clock, "now">,
  { lifeMs }: { readonly lifeMs: number },
): CopyBook {
  const forgottenAt = new Map<DlqId, number>();
  const forget = (): void => {
    for (const [dlqId, at] of forgottenAt) if (at <= clock.now()) forgottenAt.delete(dlqId);
  };
  const note = (dlqIds: readonly DlqId[]): void => {
    for (const dlqId of dlqIds) forgottenAt.set(dlqId, clock.now() + lifeMs);
  };
  return {
    missing(dlqIds) {
      forget();
      const half = clock.now() + lifeMs / 2;
      note(dlqIds.filter((dlqId) => (forgottenAt.get(dlqId) ?? half) < half));
      return Promise.resolve(dlqIds.filter((dlqId) => !forgottenAt.has(dlqId)));
    },
    copied(dlqIds) {
      forget();
      note(dlqIds);
      return Promise.resolve();
    },
  };
}
