/**
 * A dead letter as the batch item that publishes it again, by the mapping of remote-contract.md and the
 * changes of a rule. A record that an item cannot express is parked:
 *
 *   bad-destination     a destination or callback that is no http(s) URL
 *   unjoinable-header   a header, method, label or key that one header string cannot carry
 *   body-not-editable   a body that the rule's edit does not fit
 *   over-limit          more headers than any item may have
 *
 * Differences from the original are in `losses`. Some parts cannot be recovered from a record, so only a rule
 * can set them in the item: schedule id, caller ip, timeout, redaction settings, the original deduplication
 * id, URL Group membership, and a callback's method, timeout, retries and delays.
 */
import { hasUnansweredProof } from "./body-proof-headers.ts";
import type { BatchItem, DeadLetter, DeduplicationId, HeaderValues, MessageId } from "./dead-letter.ts";
import { isCallbackUrl } from "./destination-url.ts";
import { editBody } from "./edit-body.ts";
import { isReplaced, originalFlowControl, toFlowControlValue } from "./flow-control.ts";
import {
  changeHeaders,
  isFieldValue,
  isToken,
  itemNamesOf,
  toForwardHeaders,
  valuesOf,
  type ForwardHeaders,
  type ItemNames,
} from "./headers.ts";
import { isMessageId } from "./message-ids.ts";
import type { ItemChanges } from "./item-changes.ts";
import type { Loss } from "./loss-kinds.ts";
import type { ParkReason } from "./park-reasons.ts";
import { readProofCallback } from "./proof-callback-url.ts";

export interface RebuildContext {
  readonly headerPrefix: string;
  readonly deduplicationId: DeduplicationId;
  /** The lineage header's value for the body that is sent. A come-back is recognised by that body. */
  readonly signLineage: (body: string) => string;
  readonly rootId: MessageId;
  readonly attempt: number;
  /** Retries if no rule sets them: the root's, not the come-back's. Null: the root named none. */
  readonly retries: number | null;
  /** Rounded up to whole seconds. Left out for a queued item: the service refuses a delay with a queue. */
  readonly delayMs: number | null;
  readonly destination: string | null;
  /** Unix ms of its delivery at the earliest, instead of a delay. Absent: at once, or after the delay. */
  readonly notBefore?: number | undefined;
  /** One that would have more is not built: thousands of headers take a collector's time. Absent: any number. */
  readonly maxHeaders?: number;
}

export type Rebuilt =
  | { readonly kind: "item"; readonly item: BatchItem; readonly losses: readonly Loss[] }
  | { readonly kind: "park"; readonly reason: ParkReason };

type Headers = Record<string, string>;

/** Pure, and never throws on a parsed record. */
export function rebuildItem(letter: DeadLetter, changes: ItemChanges, context: RebuildContext): Rebuilt {
  const names = itemNamesOf(context.headerPrefix);
  // A URL Group message goes back to the endpoint that failed; its group would send it to all again.
  const { destination } = context;
  if (destination === null) return park("bad-destination");
  const queue = chosen(changes.queue, letter.queueName);
  const delayMs = context.delayMs ?? 0;
  const settings = toSettings(letter, changes, names, {
    retries: context.retries,
    delayMs: queue === undefined ? delayMs : 0,
    notBefore: queue === undefined ? context.notBefore : undefined,
  });
  if (typeof settings === "string") return park(settings);
  const method = changes.method ?? letter.method;
  const forward = toForwardHeaders(letter.header, names);
  if (forward === null || !isToken(method)) return park("unjoinable-header");

  const losses: Loss[] = [];
  let body = letter.body;
  if (changes.body !== undefined) {
    const edited = editBody(letter.body, changes.body, context.attempt);
    if (edited.kind === "park") return edited;
    body = edited.body;
    losses.push(...edited.losses);
  }
  if (body !== letter.body && hasUnansweredProof(forward, changes.headers ?? {})) losses.push("signed-body");
  addReportedLosses(losses, letter, changes, names, queue !== undefined && delayMs > 0);
  if (changes.headers !== undefined) changeHeaders(forward, changes.headers, names);
  if (isEncodedText(forward, body)) losses.push("encoded-body");
  if (forward.size > (context.maxHeaders ?? Infinity)) return park("over-limit");

  const headers: Headers = {};
  const contentType = forward.get("content-type");
  forward.delete("content-type");
  if (contentType !== undefined) {
    if (!isFieldValue(contentType.value)) return park("unjoinable-header");
    headers["Content-Type"] = contentType.value;
  }
  headers[names.method] = method;
  for (const { itemName, value, isToken } of forward.values()) {
    if (!isToken || !isFieldValue(value)) return park("unjoinable-header");
    headers[itemName] = value;
  }
  for (const name in settings) {
    const value = settings[name]!;
    if (!names.itemHeader(name).isToken || !isFieldValue(value)) return park("unjoinable-header");
    headers[name] = value;
  }
  // Our own are written from letters and digits, or left out.
  headers[names.deduplicationId] = context.deduplicationId;
  if (isMessageId(context.rootId)) headers[names.rootId] = context.rootId;
  headers[names.lineage] = context.signLineage(body);
  return { kind: "item", item: toItem(destination, queue, headers, body), losses };
}

/** An item without a body and one with an empty body are the same message. */
function toItem(
  destination: string,
  queue: string | undefined,
  headers: BatchItem["headers"],
  body: string,
): BatchItem {
  if (body === "") return queue === undefined ? { destination, headers } : { destination, queue, headers };
  return queue === undefined ? { destination, headers, body } : { destination, queue, headers, body };
}

/** All settings but the method, or the reason why a header cannot carry them. */
function toSettings(
  letter: DeadLetter,
  changes: ItemChanges,
  names: ItemNames,
  { retries, delayMs, notBefore }: Pick<RebuildContext, "retries" | "delayMs" | "notBefore">,
): Headers | ParkReason {
  const callback = chosen(changes.callback, letter.callback);
  const failureCallback = chosen(changes.failureCallback, letter.failureCallback);
  if (callback !== undefined && !isCallbackUrl(callback)) return "bad-destination";
  if (failureCallback !== undefined && !isCallbackUrl(failureCallback)) return "bad-destination";
  // Readable ones were opened when the record was listed.
  if (callback !== undefined && readProofCallback(callback, []).kind === "sealed") return "callback-sealed";

  const labels = changes.labels ?? letter.labels;
  if (labels.some((label) => label.includes(","))) return "unjoinable-header";

  const headers: Headers = {};
  const maxRetries = changes.retries ?? retries;
  if (maxRetries !== null) headers[names.retries] = String(maxRetries);
  const retryDelay = chosen(changes.retryDelay, letter.retryDelayExpression);
  if (retryDelay !== undefined) headers[names.retryDelay] = retryDelay;
  const { timeoutMs = 0 } = changes;
  if (timeoutMs > 0) headers[names.timeout] = toSeconds(timeoutMs);
  const areJoined =
    (callback === undefined ||
      setCallback(headers, names.callback, callback, letter.callbackHeader, names)) &&
    (failureCallback === undefined ||
      setCallback(headers, names.failureCallback, failureCallback, letter.failureCallbackHeader, names));
  if (!areJoined) return "unjoinable-header";
  if (labels.length > 0) headers[names.label] = labels.join(",");
  const flow = chosen(changes.flowControl, originalFlowControl(letter));
  const flowValue = flow === undefined ? "" : toFlowControlValue(flow);
  // Key and value only travel together.
  if (flow !== undefined && flowValue !== "") {
    headers[names.flowControlKey] = flow.key;
    headers[names.flowControlValue] = flowValue;
  }
  if (notBefore !== undefined) headers[names.notBefore] = String(Math.ceil(notBefore / 1_000));
  else if (delayMs !== null && delayMs > 0) headers[names.delay] = toSeconds(delayMs);
  return headers;
}

/** A change before the original's value: `undefined` leaves it, `null` removes it. */
function chosen<T>(change: T | null | undefined, original: T | undefined): T | undefined {
  return change === undefined ? original : (change ?? undefined);
}

/** With the original's own headers for it, under any new URL. False if a header cannot be one text. */
function setCallback(
  headers: Headers,
  setting: string,
  url: string,
  header: HeaderValues | undefined,
  names: ItemNames,
): boolean {
  const forward = toForwardHeaders(header ?? {}, names);
  if (forward === null) return false;
  headers[setting] = url;
  for (const { name, value } of forward.values()) headers[`${setting}-Forward-${name}`] = value;
  return true;
}

function toSeconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)}s`;
}

/** `redaction`: a setting without a placeholder, of a part that was empty; others are parked before. */
function addReportedLosses(
  losses: Loss[],
  letter: DeadLetter,
  { flowControl, callback, failureCallback }: ItemChanges,
  names: ItemNames,
  losesDelay: boolean,
): void {
  // A callback that a rule sets anew has not fired for this message yet, and has no settings of its own.
  const keepsCallback =
    letter.callback !== undefined && chosen(callback, letter.callback) === letter.callback;
  const { failureCallback: known } = letter;
  const keepsFailureCallback = known !== undefined && chosen(failureCallback, known) === known;
  if (losesDelay) losses.push("queue-delay");
  if (letter.flowControlKey !== undefined && isReplaced(letter, flowControl)) losses.push("flow-control");
  if (keepsFailureCallback) losses.push("failure-callback-again");
  if (keepsCallback || keepsFailureCallback) losses.push("callback-settings");
  if (letter.scheduleId !== undefined) losses.push("schedule-id");
  if (valuesOf(letter.header, names.redactFields).length > 0) losses.push("redaction");
  if (letter.topicName !== undefined) losses.push("group-membership");
}

/** Codings whose bytes are no text: none of them is UTF-8 for more than a few bytes. */
const byteCoding = /(?:^|[\s,])(?:x-)?(?:gzip|deflate|br|zstd|compress|dcb|dcz)(?:$|[\s,])/i;

/** True if the header cannot be true of this body: it was altered, or decoded, on its way into the record. */
function isEncodedText(forward: ForwardHeaders, body: string): boolean {
  const coding = forward.get("content-encoding");
  return coding !== undefined && body !== "" && byteCoding.test(coding.value);
}

function park(reason: ParkReason): Rebuilt {
  return { kind: "park", reason };
}
