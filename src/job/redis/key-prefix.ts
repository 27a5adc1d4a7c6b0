/**
 * Names of keys: `{prefix}:v1:{source}:…`. The version of the layout is in every name, so that two layouts never read
 * each other. The source id is the hash tag, so all keys of a source live in one slot and one script may touch them.
 */
export const defaultKeyPrefix = "redriver";

/** Changes with the meaning of what is stored, never with its code. */
const layoutVersion = "v1";

/** Key of something that belongs to one source. `parts` hold no `{` or `}`. */
export function sourceKey(keyPrefix: string, sourceId: string, ...parts: readonly string[]): string {
  return [keyPrefix, layoutVersion, `{${sourceId}}`, ...parts].join(":");
}

/** Key of something that belongs to the installation and to no source. */
export function sharedKey(keyPrefix: string, ...parts: readonly string[]): string {
  return [keyPrefix, layoutVersion, ...parts].join(":");
}

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
