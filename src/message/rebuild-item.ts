/**
 * A dead letter as the batch item that publishes it again, by the mapping of remote-contract.md and the
 * changes of a rule. A record that an item cannot express is parked:
 *
 *   bad-destination     a destination or callback that is no http(s) URL
 *   unjoinable-header   a header, method, label or key that one header string cannot carry
 *   body-not-editable   a body that the rule's edit does not fit
 *
 * Differences from the original are in `losses`. Some parts cannot be recovered from a record, so only a rule
 * can set them in the item: schedule id, caller ip, timeout, redaction settings, the original deduplication
 * id and URL Group membership.
 */
import type { BatchItem, DeadLetter, DeduplicationId } from "./dead-letter.ts";
import { toDestination } from "./destination.ts";
import { editBody, type EditedBody } from "./edit-body.ts";
import { changeHeaders, toForwardHeaders } from "./forward-headers.ts";
import { isFieldValue, isToken } from "./header-values.ts";
import type { ItemChanges } from "./item-changes.ts";
import { chosen, toItemSettings, type Headers } from "./item-settings.ts";
import { lineageHeaderName } from "./lineage.ts";
import type { Loss } from "./losses.ts";
import { reportedLossesOf } from "./losses.ts";
import type { ParkReason } from "./park-reasons.ts";
import { hasUnansweredProof } from "./signature-headers.ts";

export interface RebuildContext {
  /** `Upstash-`, `Service-`: never empty. */
  readonly headerPrefix: string;
  readonly deduplicationId: DeduplicationId;
  /** The lineage header's value for the body that is sent. A come-back is recognised by that body. */
  readonly signLineage: (body: string) => string;
  /** Redrives that this body may have been through already. */
  readonly attempt: number;
  /** Retries if no rule sets them: the root's, not the come-back's. Null: the root named none. */
  readonly retries: number | null;
  /** Rounded up to whole seconds. Left out for a queued item: the service refuses a delay with a queue. */
  readonly delayMs: number | null;
}

export type Rebuilt =
  | { readonly kind: "item"; readonly item: BatchItem; readonly losses: readonly Loss[] }
  | { readonly kind: "park"; readonly reason: ParkReason };

/** Pure, and never throws on a parsed record. */
export function rebuildItem(letter: DeadLetter, changes: ItemChanges, context: RebuildContext): Rebuilt {
  const { headerPrefix: prefix, delayMs } = context;
  // A URL Group message goes back to the endpoint that failed; its group would send it to all again.
  const destination = toDestination(letter.url, changes.destination);
  if (destination === null) return park("bad-destination");
  const queue = chosen(changes.queue, letter.queueName);
  const settings = toItemSettings(letter, changes, {
    headerPrefix: prefix,
    retries: context.retries,
    delayMs: queue === undefined ? delayMs : null,
  });
  if (settings.kind === "park") return settings;
  const method = changes.method ?? letter.method;
  const forward = toForwardHeaders(letter.header, prefix);
  if (forward === null || !isToken(method)) return park("unjoinable-header");

  const edited = bodyOf(letter, changes, context.attempt);
  if (edited.kind === "park") return edited;
  const { body } = edited;
  const losses: Loss[] = [...edited.losses];
  if (body !== letter.body && hasUnansweredProof(forward, changes.headers ?? {})) losses.push("signed-body");
  changeHeaders(forward, changes.headers ?? {}, prefix);

  const contentType = forward.get("content-type");
  forward.delete("content-type");
  const headers: Headers = [
    ...(contentType === undefined ? [] : [["Content-Type", contentType.value] as [string, string]]),
    [`${prefix}Method`, method],
    ...[...forward.values()].map(({ name, value }): [string, string] => [`${prefix}Forward-${name}`, value]),
    ...settings.headers,
    [deduplicationHeader(prefix), context.deduplicationId],
    [lineageHeader(prefix), context.signLineage(body)],
  ];
  if (!headers.every(([name, value]) => isToken(name) && isFieldValue(value))) {
    return park("unjoinable-header");
  }
  const { failureCallback } = settings;
  const { flowControl } = changes;
  losses.push(
    ...reportedLossesOf(letter, { headerPrefix: prefix, queue, delayMs, failureCallback, flowControl }),
  );
  return {
    kind: "item",
    item: {
      destination,
      ...(queue === undefined ? {} : { queue }),
      headers: Object.fromEntries(headers),
      // An item without a body and one with an empty body are the same message.
      ...(body === "" ? {} : { body }),
    },
    losses,
  };
}

export function inSeries(item: BatchItem, headerPrefix: string, deduplicationId: DeduplicationId): BatchItem {
  return { ...item, headers: { ...item.headers, [deduplicationHeader(headerPrefix)]: deduplicationId } };
}

export function withLineage(item: BatchItem, headerPrefix: string, lineage: string): BatchItem {
  return { ...item, headers: { ...item.headers, [lineageHeader(headerPrefix)]: lineage } };
}

export function deduplicationHeader(headerPrefix: string): string {
  return `${headerPrefix}Deduplication-Id`;
}

export function lineageHeader(headerPrefix: string): string {
  return `${headerPrefix}Forward-${lineageHeaderName}`;
}

function bodyOf(letter: DeadLetter, changes: ItemChanges, attempt: number): EditedBody {
  if (changes.body === undefined) return { kind: "body", body: letter.body, losses: [] };
  return editBody(letter.body, changes.body, attempt);
}

function park(reason: ParkReason): Rebuilt {
  return { kind: "park", reason };
}
