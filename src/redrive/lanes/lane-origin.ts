import type { BatchItem } from "../../message/dead-letter.ts";
import type { Origin } from "../../ports/lanes.ts";

/** Whose health an item depends on: its destination's origin, or its queue, whose order a slow message holds up for the others. */
export function laneOriginOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): Origin {
  return queue === undefined ? new URL(destination).origin : `queue:${queue}`;
}
