import { defined } from "../message/defined.ts";
import type { ItemChanges } from "../message/item-changes.ts";
import { policyLosses, type Loss, type PolicyLoss } from "../message/loss-kinds.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import { hash } from "node:crypto";
import type { BatchItem, DeadLetter } from "../message/dead-letter.ts";
import { toDeduplicationId } from "../message/message-ids.ts";
import { maxSuffix, toItemJson } from "../message/encode-item.ts";
import { hostOf, rateHostOf, toDestination } from "../message/destination-url.ts";
import { copyHeaderName, itemNamesOf, valuesOf } from "../message/headers.ts";
import { withBrake } from "../message/brake-key.ts";
import { checkFidelity } from "../message/fidelity.ts";
import { toRootFlowControl } from "../message/flow-control.ts";
import { isProofUrl } from "../message/proof-callback-url.ts";
import { hashBody, nextLineage, rootOf, signLineage } from "../message/lineage.ts";
import type { CheckItem } from "../message/item-policy.ts";
import { isPlausibleDelay } from "../message/plausible-dates.ts";
import { rebuildItem } from "../message/rebuild-item.ts";
import type { DrainConfig, LaneConfig } from "../contracts/drains-document.ts";
import type { Routing } from "../rules/decision.ts";
import { largestCanary } from "./publish/canary-variant.ts";
import type { Item, Letter } from "./letter.ts";

/**
 * 1 MiB. A callback quotes it as base64, a third larger, with the answer, and is read up to 4 MiB. It may have to
 * be published in turn, as an item of up to twice the size.
 */
const maxProvenBytes = 1_048_576;

export interface Preparation {
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** For a record whose rebuild would lose one of `policyLosses`. */
  readonly onLoss: "park" | "republish";
  /** Checks the item as it would be sent, with the longest suffix, against the settings. */
  readonly checkItem: CheckItem;
  /** If present, the item may be sent as a canary. */
  readonly lane?: LaneConfig | undefined;
  /** Replaces the message's own flow control if the rule sets none. */
  readonly flowControl?: DrainConfig["flowControl"] | undefined;
  /** Deliveries at once under a key of ours. Absent: nothing is sent under one. */
  readonly brake?: number | undefined;
  /** An address with user and password is sent. Absent: it is parked. */
  readonly keepsCredentials?: boolean | undefined;
  /** The callback address for canaries (proofAddressOf). Absent: silence judges them. */
  readonly proofAddress?: string | undefined;
  /** The service has its own retry, for what goes `via: service`. */
  readonly hasServiceRetry?: boolean | undefined;
}

export type Prepared =
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "park"; readonly reason: ParkReason }
  | { readonly kind: "hold"; readonly reason: "no-service-retry" };

/**
 * Builds the item of a due letter, or answers why it may not be published. `via: service`: the service sends what
 * it has; the item says where to, for gates and settings. What another product of the vendor owns is parked. Pure.
 */
export function prepare(
  record: Pick<Letter, "content" | "raw" | "reading" | "attempt" | "decision" | "facts">,
  { set, via }: Pick<Routing, "set" | "via">,
  preparation: Preparation,
): Prepared {
  const { headerPrefix, lineageKey, onLoss, checkItem, flowControl, brake } = preparation;
  const { proofAddress, keepsCredentials } = preparation;
  const { content: letter, raw, reading } = record;
  const isByService = via === "service";
  const destination = toDestination(letter.url, set.destination, isByService || keepsCredentials);
  if (isTestCopy(letter)) return { kind: "park", reason: "test-copy" };
  const mayBeUnfit =
    isByService && preparation.hasServiceRetry === true && letter.workflowRunId === undefined;
  const unfit = mayBeUnfit ? null : checkFidelity(letter, raw, destination);
  if (unfit !== null) return { kind: "park", reason: unfit };
  if (isByService && !mayBeUnfit) return { kind: "hold", reason: "no-service-retry" };
  if (destination === null) return { kind: "park", reason: "bad-destination" };

  const paced = flowControl === undefined ? set : { flowControl, ...set };
  const braked = brake === undefined ? paced : withBrake(paced, letter, destination, brake);
  const changes = isByService ? set : braked;
  const root = rootOf(letter, reading);
  const next = nextLineage(letter, reading, record.attempt, root);
  const lineage =
    changes.flowControl === undefined ? next : { ...next, ...toRootFlowControl(letter, changes.flowControl) };
  const delayMs = toDelayMs(letter, changes);
  const { notBefore = 0 } = letter;
  const now = record.facts?.now ?? 0;
  const isSentAhead =
    record.decision.then === "republish" && notBefore > now && isPlausibleDelay(notBefore, letter.enteredAt);
  // A canary goes at once, so the silence of a delayed message means nothing.
  const lane = isSentAhead || isByService ? undefined : preparation.lane;
  let bodyHash = "";
  const rebuilt = isByService
    ? toWhatItWas(letter, destination, headerPrefix)
    : rebuildItem(letter, changes, {
        headerPrefix,
        deduplicationId: toDeduplicationId(letter.dlqId, maxSuffix),
        signLineage: (body) => signLineage(lineage, (bodyHash = hashBody(body)), lineageKey),
        rootId: lineage.rootId,
        destination,
        // A release lowers the record's count, but an earlier redrive already edited the body of a come-back.
        attempt: Math.max(record.attempt, root.redrives),
        // A come-back was sent with the retries of an earlier redrive. Its root has the original number.
        retries: root.maxRetries,
        delayMs,
        notBefore: isSentAhead ? Math.max(notBefore, now + (delayMs ?? 0)) : undefined,
        maxHeaders: checkItem.maxHeaders ?? Infinity,
      });
  if (rebuilt.kind === "park") return rebuilt;
  const { item, losses } = rebuilt;

  const json = toItemJson(item, headerPrefix);
  let proofOf: string | null = null;
  const plain = { json, lineage, bodyHash, headerPrefix, lineageKey };
  const inLane = (address: string | null, lane: LaneConfig) =>
    largestCanary({ ...plain, proofAddress: address }, record.attempt, item, lane);
  let canary = lane === undefined ? null : inLane(null, lane);
  const notAllowed = checkItem(item, json.bytes) ?? (canary && checkItem(canary.item, canary.bytes));
  if (notAllowed !== null) return { kind: "park", reason: notAllowed };
  const policyLoss = losses.find(isPolicyLoss);
  if (policyLoss !== undefined && onLoss === "park") return { kind: "park", reason: policyLoss };
  // One of our own callbacks that died gets none: nobody needs its result.
  if (lane !== undefined && proofAddress !== undefined && !isProofUrl(item.destination, proofAddress)) {
    const proven = inLane(proofAddress, lane);
    const fits = ({ item, bytes }: { readonly item: BatchItem; readonly bytes: number }): boolean =>
      bytes <= maxProvenBytes && checkItem(item, 2 * bytes) === null;
    // A long callback of its own leaves no room for it in ours.
    const isCarried = isProofUrl(proven.item.headers[`${headerPrefix}Callback`] ?? "", proofAddress);
    if (isCarried && fits({ item, bytes: json.bytes }) && fits(proven)) {
      [proofOf, canary] = [proofAddress, proven];
    }
  }
  const host = hostOf(item.destination);
  return {
    kind: "item",
    item: {
      via: via ?? "batch",
      json,
      lineage,
      bodyHash,
      headerPrefix,
      lineageKey,
      proofAddress: proofOf,
      target: toTarget(item),
      host,
      rateHost: item.queue === undefined ? host : rateHostOf(item),
      losses,
      bytes: canary === null ? json.bytes : Math.max(json.bytes, canary.bytes),
      isSentAhead,
    },
  };
}

/** What the settings judge of a message that the service sends as it was. */
function toWhatItWas(
  { dlqId, queueName, callback, failureCallback }: DeadLetter,
  destination: string,
  headerPrefix: string,
) {
  const { deduplicationId } = itemNamesOf(headerPrefix);
  const headers: Record<string, string> = { [deduplicationId]: toDeduplicationId(dlqId, maxSuffix) };
  if (callback !== undefined) headers[`${headerPrefix}Callback`] = callback;
  if (failureCallback !== undefined) headers[`${headerPrefix}Failure-Callback`] = failureCallback;
  const item: BatchItem = defined({ destination, headers, queue: queueName });
  return { kind: "item" as const, item, losses: [] };
}

function toTarget({ destination, queue }: BatchItem): Item["target"] {
  return queue === undefined ? { destination } : { destination, queue };
}

/** It says so itself: nobody is to receive it but the test target. */
function isTestCopy({ header }: Pick<DeadLetter, "header">): boolean {
  return valuesOf(header, copyHeaderName).length > 0;
}

function isPolicyLoss(loss: Loss): loss is PolicyLoss {
  return policyLosses.some((policyLoss) => policyLoss === loss);
}

/** A spread delay is drawn from the dlqId, so that a second POST of the series carries the same delay. */
function toDelayMs({ dlqId }: DeadLetter, { delay }: ItemChanges): number | null {
  if (delay === undefined) return null;
  if (delay.kind === "fixed") return delay.ms;
  const draw = hash("sha256", dlqId, "buffer").readUInt32BE(0);
  return Math.floor((draw / 2 ** 32) * delay.ms);
}
