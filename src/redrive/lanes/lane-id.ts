import { createHash } from "node:crypto";
import type { BatchItem, DeadLetter } from "../../message/dead-letter.ts";
import type { Origin } from "../../ports/lanes.ts";

/** 60 bits; Redis and lineage carry neither a drain's name nor an address. The same in every replica. */
export function toLaneId(drain: string, origin: string): string {
  return shortHash(`${drain}\0${origin}`);
}

/** Short hash of a root id, for the last canaries in the lane book. */
export function toRootHash(rootId: string): string {
  return shortHash(rootId);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 10);
}

/** The origin behind an item's health: its destination's, or its queue, which a slow message delays. */
export function laneOriginOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): Origin {
  return queue === undefined ? new URL(destination).origin : `queue:${queue}`;
}

/** As it failed, before any rule changes it; null if its destination is no URL. */
export function laneOriginOfLetter({ url, queueName }: Pick<DeadLetter, "url" | "queueName">): Origin | null {
  if (queueName !== undefined) return laneOriginOf({ destination: url, queue: queueName });
  return URL.canParse(url) ? laneOriginOf({ destination: url }) : null;
}
