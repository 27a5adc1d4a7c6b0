import type { DlqId } from "../../message/dead-letter.ts";
import type { Clock } from "../../contracts/clock.ts";

/** Counts live for one to two periods. */
const periodMs = 5 * 60_000;
/** At most one batch in this many may hold a poison message. */
const batchesPerPoison = 50;
/** Single messages would cost twice the calls and save one message from doubt. */
const minBatch = 2;
/** Forgetting costs one more refused batch. */
const maxRemembered = 20_000;

/**
 * The share of poison among recent messages, as this process sees it: what makes the service refuse each batch that
 * holds it. Beside a POST in doubt that leaves the batch in doubt until its window has passed. So such messages are
 * posted again in batches so small that few of them hold poison.
 */
export function createPoisonShare(clock: Pick<Clock, "monotonic">) {
  const together = new Map<DlqId, number>();
  const nothing = { posted: 0, found: 0 };
  let [before, now] = [{ ...nothing }, { ...nothing }];
  let endsAt = clock.monotonic() + periodMs;
  const current = () => {
    const at = clock.monotonic();
    if (at >= endsAt) {
      [before, now] = [at < endsAt + periodMs ? now : { ...nothing }, { ...nothing }];
      endsAt = at + periodMs;
    }
    return now;
  };
  return {
    posted(count: number): void {
      current().posted += count;
    },
    found(): void {
      current().found += 1;
    },
    /** Records a batch that was refused. If a rate limit ends the bisection, it continues with halves. */
    refusedTogether(dlqIds: readonly DlqId[]): void {
      if (together.size + dlqIds.length > maxRemembered) together.clear();
      for (const dlqId of dlqIds) together.set(dlqId, dlqIds.length);
    },
    /** A batch was refused, so that some messages may not share a full one. */
    hasRefused: (): boolean => together.size > 0,
    maxBeside: (dlqId: DlqId, maxCount: number): number =>
      Math.min(maxCount, Math.ceil((together.get(dlqId) ?? 2 * maxCount) / 2)),
    postedLately: (): number => current().posted + before.posted,
    batchSize(maxCount: number): number {
      const { posted, found } = current();
      const poison = found + before.found;
      if (poison === 0) return maxCount;
      const messages = Math.max(posted + before.posted, poison);
      return Math.min(maxCount, Math.max(minBatch, Math.floor(messages / (poison * batchesPerPoison))));
    },
  };
}
