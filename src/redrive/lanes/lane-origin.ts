import type { BatchItem, DeadLetter } from "../../message/dead-letter.ts";
import type { Origin } from "../../ports/lanes.ts";

/**
 * Whose health an item depends on: its destination's origin, or its queue, whose order a slow message holds
 * up for the others.
 */
export function laneOriginOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): Origin {
  return queue === undefined ? new URL(destination).origin : `queue:${queue}`;
}

/** As it failed, whatever a rule would make of it; null where its destination is no URL. */
export function laneOriginOfLetter({
  url: destination,
  queueName: queue,
}: Pick<DeadLetter, "url" | "queueName">): Origin | null {
  try {
    return laneOriginOf({ destination, ...(queue === undefined ? {} : { queue }) });
  } catch {
    return null;
  }
}
