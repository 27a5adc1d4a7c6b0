import type { QueueKind } from "./job-end.ts";

/** The hash tag keeps all keys of the queues in one slot of a cluster. */
export function toQueuePrefix(keyPrefix: string): string {
  return `{${keyPrefix}}`;
}

export function toQueueName(keyPrefix: string, kind: QueueKind): string {
  return `${keyPrefix}-v1-${kind}`;
}
