import type { BatchItem } from "../../message/dead-letter.ts";

/**
 * The item as a canary: one attempt, at once. If it fails, it is back in the DLQ before its watch is over.
 * Its ordinary settings are not lost: its lineage has the root's retries, and the rule sets its delay again.
 */
export function asCanary(item: BatchItem, headerPrefix: string, timeoutMs: number): BatchItem {
  const headers = { ...item.headers };
  const timeout = `${headerPrefix}Timeout`;
  delete headers[`${headerPrefix}Delay`];
  headers[`${headerPrefix}Retries`] = "0";
  headers[timeout] = `${Math.min(secondsIn(headers[timeout]), Math.max(1, Math.floor(timeoutMs / 1_000)))}s`;
  return { ...item, headers };
}

/** Three quarters of the watch, in whole seconds. The last quarter is for its way back into the DLQ. */
export function canaryTimeoutMs(watchMs: number): number {
  return Math.max(1, Math.floor((watchMs * 3) / 4_000)) * 1_000;
}

/** A timeout that a rule has set, in the form of item-settings.ts. */
function secondsIn(timeout: string | undefined): number {
  return timeout === undefined ? Infinity : Number.parseInt(timeout, 10);
}
