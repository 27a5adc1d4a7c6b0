/** The queues: jobs made by schedules, the windows of passes, and messages to people. */
export const queueKinds = ["short", "windows", "notices"] as const;
export type QueueKind = (typeof queueKinds)[number];

/** The hash tag keeps all keys of the queues in one slot of a cluster. */
export function toQueuePrefix(keyPrefix: string): string {
  return `{${keyPrefix}}`;
}

export function toQueueName(keyPrefix: string, kind: QueueKind): string {
  return `${keyPrefix}-v1-${kind}`;
}
