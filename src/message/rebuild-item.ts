/**
 * A dead letter as the batch item that publishes it again, by the mapping of remote-contract.md. What an item cannot say
 * without loss is parked: `bad-destination` for a destination or callback that is no http(s) URL, `unjoinable-header` for a
 * header, method, label or key that one header string cannot carry. Not recoverable from a record, and so not in the item:
 * schedule id, caller ip, timeout, redaction settings, the original deduplication id and URL Group membership.
 */
import type { ParkReason } from "../rules/decision.ts";
import type { ItemChanges } from "../rules/spec.ts";
import type { BatchItem, DeadLetter, DeduplicationId, HeaderValues } from "./dead-letter.ts";
import { isDestination, toDestination } from "./destination.ts";
import { changeHeaders, toForwardHeaders } from "./forward-headers.ts";
import { isFieldValue, isToken } from "./header-values.ts";
import { lineageHeaderName } from "./lineage.ts";

export interface RebuildContext {
  /** `Upstash-`, `Service-`: never empty. */
  readonly headerPrefix: string;
  readonly deduplicationId: DeduplicationId;
  /** The finished lineage header, from writeLineage over this letter's body. */
  readonly lineageHeader: string;
  /** Retries where no rule sets them, in place of the record's own; null: the record's own. */
  readonly retries: number | null;
  /** Rounded up to whole seconds. Left out for a queued item: the service refuses a delay with a queue. */
  readonly delayMs: number | null;
}

export type Rebuilt =
  | { readonly kind: "item"; readonly item: BatchItem }
  | { readonly kind: "park"; readonly reason: ParkReason };

type Headers = [name: string, value: string][];

export function rebuildItem(letter: DeadLetter, changes: ItemChanges, context: RebuildContext): Rebuilt {
  const { headerPrefix: prefix } = context;
  // A URL Group message goes back to the endpoint that failed; its group would send it to all of them again.
  const destination = toDestination(letter.url, changes.destination);
  if (destination === null) return park("bad-destination");
  const callbacks = [letter.callback, letter.failureCallback].filter((url) => url !== undefined);
  if (!callbacks.every(isCallbackUrl)) return park("bad-destination");

  const forward = toForwardHeaders(letter.header, prefix);
  const callback = toCallback(`${prefix}Callback`, letter.callback, letter.callbackHeader, prefix);
  const failure = toCallback(
    `${prefix}Failure-Callback`,
    letter.failureCallback,
    letter.failureCallbackHeader,
    prefix,
  );
  if (forward === null || callback === null || failure === null) return park("unjoinable-header");
  // The header joins labels with commas.
  if (letter.labels.some((label) => label.includes(","))) return park("unjoinable-header");
  if (!isToken(letter.method)) return park("unjoinable-header");
  changeHeaders(forward, changes.headers ?? {}, prefix);

  const queue = changes.queue ?? letter.queueName;
  const headers: Headers = [];
  const set = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) headers.push([name, String(value)]);
  };
  set("Content-Type", forward.get("content-type")?.value);
  forward.delete("content-type");
  set(`${prefix}Method`, letter.method);
  for (const { name, value } of forward.values()) set(`${prefix}Forward-${name}`, value);
  set(`${prefix}Retries`, changes.retries ?? context.retries ?? letter.maxRetries);
  set(`${prefix}Retry-Delay`, letter.retryDelayExpression);
  headers.push(...callback, ...failure);
  if (letter.labels.length > 0) set(`${prefix}Label`, letter.labels.join(","));
  headers.push(...toFlowControl(letter, prefix));
  if (queue === undefined) set(`${prefix}Delay`, toDelay(context.delayMs));
  set(`${prefix}Deduplication-Id`, context.deduplicationId);
  set(`${prefix}Forward-${lineageHeaderName}`, context.lineageHeader);

  if (!headers.every(([name, value]) => isToken(name) && isFieldValue(value)))
    return park("unjoinable-header");
  return {
    kind: "item",
    item: {
      destination,
      ...(queue === undefined ? {} : { queue }),
      headers: Object.fromEntries(headers),
      // An item without a body and one with an empty body are the same message.
      ...(letter.body === "" ? {} : { body: letter.body }),
    },
  };
}

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

/** Key and value only travel together; a period says something only about a rate, and is listed in seconds. */
function toFlowControl(letter: DeadLetter, prefix: string): Headers {
  const { flowControlKey, parallelism, rate, period } = letter;
  const value = [
    ...(parallelism === undefined ? [] : [`parallelism=${parallelism}`]),
    ...(rate === undefined ? [] : [`rate=${rate}`]),
    ...(rate === undefined || period === undefined ? [] : [`period=${period}s`]),
  ].join(", ");
  if (flowControlKey === undefined || value === "") return [];
  return [
    [`${prefix}Flow-Control-Key`, flowControlKey],
    [`${prefix}Flow-Control-Value`, value],
  ];
}

function toDelay(delayMs: number | null): string | undefined {
  return delayMs === null || delayMs <= 0 ? undefined : `${Math.ceil(delayMs / 1_000)}s`;
}

/** Unlike a destination it may carry credentials, which the service accepted with the original. */
function isCallbackUrl(url: string): boolean {
  return isDestination(url.replace(/^(https?:\/\/)[^/?#@\s]*@/i, "$1"));
}

function park(reason: ParkReason): Rebuilt {
  return { kind: "park", reason };
}
