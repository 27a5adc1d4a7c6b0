/** Takes a sample of the queues in each minute, for the charts. Of several replicas, one takes it. */
import { openQueueSeries, type Core } from "../../../job/door.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import { toKindsSample, toQueueSample } from "../../read/queue-sample.ts";

interface SamplesParts {
  readonly current: () => Core;
  readonly readFacts: () => Promise<QueueFacts>;
  readonly now: () => number;
  readonly failed: (error: unknown) => void;
}

/** Three looks in a minute: one that Redis refuses leaves two. */
const lookEveryMs = 20_000;
const minuteMs = 60_000;

export function keepSamples({ current, readFacts, now, failed }: SamplesParts): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    const series = await openQueueSeries(current());
    const minute = Math.floor(now() / minuteMs);
    if (await series.has(minute)) return;
    const facts = await readFacts();
    const sample = toQueueSample(facts);
    if (sample !== null) await series.add(minute, { ...sample, at: now() }, toKindsSample(facts));
  };
  const timer = setInterval(() => {
    // Without Redis every page says so already.
    if (isLooking || !current().redis.isReady()) return;
    isLooking = true;
    look()
      .catch(failed)
      .finally(() => {
        isLooking = false;
      });
  }, lookEveryMs);
  return () => clearInterval(timer);
}
