import { hostOf, urlPartsOf } from "./destination-url.ts";
import type { BatchItem, DeadLetter } from "./dead-letter.ts";

/** The origin behind an item's health: its destination's, or its queue, which a slow message delays. */
export function laneOriginOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): string {
  return queue === undefined ? (urlPartsOf(destination) ?? new URL(destination)).origin : `queue:${queue}`;
}

/** As it failed, before any rule changes it; null if its destination is no URL. */
export function laneOriginOfLetter({ url, queueName }: Pick<DeadLetter, "url" | "queueName">): string | null {
  if (queueName !== undefined) return laneOriginOf({ destination: url, queue: queueName });
  return urlPartsOf(url)?.origin ?? null;
}

/** By which rates per host count: the destination's host with its port, or `queue:<name>`. */
export function rateHostOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): string {
  return queue === undefined ? hostOf(destination) : `queue:${queue}`;
}
