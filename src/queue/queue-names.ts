/** The two queues: jobs made by schedules, and the windows of passes. */
export const queueKinds = ["short", "windows"] as const;
export type QueueKind = (typeof queueKinds)[number];

/** The hash tag keeps all keys of the queues in one slot of a cluster. */
export function toQueuePrefix(keyPrefix: string): string {
  return `{${keyPrefix}}`;
}

export function toQueueName(keyPrefix: string, kind: QueueKind): string {
  return `${keyPrefix}-v1-${kind}`;
}
