/** The flow control key, one a host, under which a source with `brake` sends what has none of its own. */
import type { DeadLetter } from "./dead-letter.ts";
import type { DestinationName } from "./destination-names.ts";
import { hostOf } from "./destination-url.ts";
import { originalFlowControl, toFlowControlValue } from "./flow-control.ts";
import type { ItemChanges } from "./item-changes.ts";

export const brakePrefix = "redriver.";

/** `host` as hostOf has it. Characters that a key may not have become `_`. */
export function toBrakeKey(host: string): string {
  return `${brakePrefix}${host.replaceAll(/[^\w.-]/g, "_")}`;
}

/** True if what goes to this destination is sent under this key; undefined: to any. Queues have no key. */
export function isKeyOf(key: string, name: DestinationName | undefined): boolean {
  if (!key.startsWith(brakePrefix)) return false;
  if (name === undefined) return true;
  const own = keyOfName(name);
  // A host alone means each of its ports.
  return key === own || (!/:\d+$/.test(name) && key.startsWith(`${own}_`) && /_\d+$/.test(key));
}

export function keyOfName(name: DestinationName): string | null {
  if (name.startsWith("queue:") || name.startsWith("failure:")) return null;
  // The usual port of either scheme is not in the key.
  return toBrakeKey(name.includes("://") ? hostOf(name) : name.replace(/:(?:80|443)$/, ""));
}

/** What its rule and its drain change, and the key of its host if it would have none and is in no queue. */
export function withBrake(
  changes: ItemChanges,
  letter: DeadLetter,
  destination: string,
  parallelism: number,
): ItemChanges {
  const { queue = letter.queueName ?? null, flowControl = originalFlowControl(letter) } = changes;
  const isOwn = flowControl !== null && flowControl !== undefined && toFlowControlValue(flowControl) !== "";
  if (queue !== null || isOwn) return changes;
  return { ...changes, flowControl: { key: toBrakeKey(hostOf(destination)), parallelism } };
}
