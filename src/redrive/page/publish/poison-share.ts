import type { DlqId } from "../../../message/dead-letter.ts";
import type { Clock } from "../../../ports/clock.ts";

/**
 * How many of the messages that were posted lately are poison: one that makes the service refuse every batch which holds it.
 *
 * A refusal beside an unanswered POST leaves a whole batch in doubt until its window has passed. So what is posted again goes out in
 * batches so small that few of them hold a poison message. Without poison they are as large as any.
 *
 * Known to one process; each learns it for itself.
 */
export interface PoisonShare {
  /** Messages that were posted for the first time. */
  posted(count: number): void;
  /** A batch was refused, and this one message of it alone again. */
  found(): void;
  /** These were refused together. A rate limit may end the search for the one among them: it goes on with halves. */
  refusedTogether(dlqIds: readonly DlqId[]): void;
  /** How many may share a first batch with this message; at most `maxCount`. */
  maxBeside(dlqId: DlqId, maxCount: number): number;
  /** How many were, in five to ten minutes. */
  postedLately(): number;
  /** How many messages of unanswered POSTs may share a batch; at most `maxCount`. */
  batchSize(maxCount: number): number;
}

/** Counts are kept for one to two of these. */
const periodMs = 5 * 60_000;
/** One batch in so many may hold a poison message. */
const batchesPerPoison = 50;
/** One by one costs twice the calls, and saves one message from doubt. */
const minBatch = 2;

/** Forgetting costs a batch that is refused once more. */
const maxRemembered = 20_000;

interface Counts {
  posted: number;
  found: number;
}

export function createPoisonShare(clock: Pick<Clock, "monotonic">): PoisonShare {
  const together = new Map<DlqId, number>();
  let [before, now]: [Counts, Counts] = [nothing(), nothing()];
  let endsAt = clock.monotonic() + periodMs;
  const current = (): Counts => {
    const at = clock.monotonic();
    if (at >= endsAt) {
      [before, now] = [at < endsAt + periodMs ? now : nothing(), nothing()];
      endsAt = at + periodMs;
    }
    return now;
  };
  return {
    posted(count) {
      current().posted += count;
    },
    found() {
      current().found += 1;
    },
    refusedTogether(dlqIds) {
      if (together.size + dlqIds.length > maxRemembered) together.clear();
      for (const dlqId of dlqIds) together.set(dlqId, dlqIds.length);
    },
    maxBeside: (dlqId, maxCount) => Math.min(maxCount, Math.ceil((together.get(dlqId) ?? 2 * maxCount) / 2)),
    postedLately: () => current().posted + before.posted,
    batchSize(maxCount) {
      const { posted, found } = current();
      const poison = found + before.found;
      if (poison === 0) return maxCount;
      const messages = Math.max(posted + before.posted, poison);
      return Math.min(maxCount, Math.max(minBatch, Math.floor(messages / (poison * batchesPerPoison))));
    },
  };
}

function nothing(): Counts {
  return { posted: 0, found: 0 };
}
