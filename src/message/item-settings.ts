/**
 * The settings of a message as item headers: all but method, forwarded headers, deduplication id and lineage.
 */
import type { DeadLetter, HeaderValues } from "./dead-letter.ts";
import { isDestination } from "./destination.ts";
import { originalFlowControl, toFlowControlValue } from "./flow-control.ts";
import { toForwardHeaders } from "./forward-headers.ts";
import type { ItemChanges } from "./item-changes.ts";
import type { ParkReason } from "./park-reasons.ts";
import { readProofCallback } from "./proof-callback.ts";

export type Headers = [name: string, value: string][];

export type ItemSettings =
  | { readonly kind: "settings"; readonly headers: Headers; readonly failureCallback: string | undefined }
  | { readonly kind: "park"; readonly reason: ParkReason };

export interface SettingsContext {
  readonly headerPrefix: string;
  /** Null: none are named, and the service's own number counts. */
  readonly retries: number | null;
  /** Null if the item is queued: the service refuses a delay with a queue. */
  readonly delayMs: number | null;
}

export function toItemSettings(
  letter: DeadLetter,
  changes: ItemChanges,
  { headerPrefix: prefix, retries, delayMs }: SettingsContext,
): ItemSettings {
  const callback = chosen(changes.callback, letter.callback);
  const failureCallback = chosen(changes.failureCallback, letter.failureCallback);
  const urls = [callback, failureCallback].filter((url) => url !== undefined);
  if (!urls.every(isCallbackUrl)) return { kind: "park", reason: "bad-destination" };
  // Readable ones were opened when the record was listed.
  if (callback !== undefined && readProofCallback(callback, []).kind === "sealed") {
    return { kind: "park", reason: "callback-sealed" };
  }

  const onAttempt = toCallback(`${prefix}Callback`, callback, letter.callbackHeader, prefix);
  const onFailure = toCallback(
    `${prefix}Failure-Callback`,
    failureCallback,
    letter.failureCallbackHeader,
    prefix,
  );
  const labels = changes.labels ?? letter.labels;
  // The header joins labels with commas.
  if (onAttempt === null || onFailure === null || labels.some((label) => label.includes(","))) {
    return { kind: "park", reason: "unjoinable-header" };
  }

  const headers: Headers = [];
  const set = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) headers.push([`${prefix}${name}`, String(value)]);
  };
  set("Retries", changes.retries ?? retries ?? undefined);
  set("Retry-Delay", chosen(changes.retryDelay, letter.retryDelayExpression));
  set("Timeout", toSeconds(changes.timeoutMs));
  headers.push(...onAttempt, ...onFailure);
  set("Label", labels.length === 0 ? undefined : labels.join(","));
  const flow = chosen(changes.flowControl, originalFlowControl(letter));
  const flowValue = flow === undefined ? "" : toFlowControlValue(flow);
  // Key and value only travel together.
  if (flow !== undefined && flowValue !== "") {
    set("Flow-Control-Key", flow.key);
    set("Flow-Control-Value", flowValue);
  }
  set("Delay", toSeconds(delayMs ?? undefined));
  return { kind: "settings", headers, failureCallback };
}

/** A change before the original's value: `undefined` leaves it, `null` removes it. */
export function chosen<T>(change: T | null | undefined, original: T | undefined): T | undefined {
  return change === undefined ? original : (change ?? undefined);
}

/** With the original's own headers for it, under any new URL. */
function toCallback(
  setting: string,
  url: string | undefined,
  header: HeaderValues | undefined,
  prefix: string,
): Headers | null {
  if (url === undefined) return [];
  const forward = toForwardHeaders(header ?? {}, prefix);
  if (forward === null) return null;
  return [
    [setting, url],
    ...[...forward.values()].map(({ name, value }): [string, string] => [
      `${setting}-Forward-${name}`,
      value,
    ]),
  ];
}

/** Whole seconds, rounded up; nothing for no time. */
function toSeconds(ms: number | undefined): string | undefined {
  return ms === undefined || ms <= 0 ? undefined : `${Math.ceil(ms / 1_000)}s`;
}

/** Unlike a destination it may carry credentials, which the service accepted with the original. */
export function isCallbackUrl(url: string): boolean {
  return isDestination(url.replace(/^(https?:\/\/)[^/?#@\s]*@/i, "$1"));
}
