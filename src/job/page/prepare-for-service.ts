import type { BatchItem } from "../message/dead-letter.ts";
import { toDeduplicationId } from "../message/message-ids.ts";
import { hostOf, rateHostOf, toDestination } from "../message/destination-url.ts";
import { maxSuffix, toItemJson } from "../message/encode-item.ts";
import { checkFidelity } from "../message/fidelity.ts";
import { itemNamesOf } from "../message/headers.ts";
import { nextLineage } from "../message/lineage.ts";
import type { Letter } from "./letter.ts";
import { isTestCopy, toTarget, type Preparation, type Prepared } from "./prepare.ts";

/**
 * The item of a letter that goes `via: service`. The service sends what it has, so nothing is lost. The item says
 * where to, for gates and settings. What another product of the vendor owns is parked all the same. Without the
 * endpoint, what a batch cannot carry is parked for that, and the rest is held. Pure.
 */
export function prepareForService(
  { content: letter, raw, reading, attempt }: Pick<Letter, "content" | "raw" | "reading" | "attempt">,
  { headerPrefix, lineageKey, checkItem, hasServiceRetry }: Preparation,
): Prepared | { readonly kind: "hold"; readonly reason: "no-service-retry" } {
  if (isTestCopy(letter)) return { kind: "park", reason: "test-copy" };
  if (letter.workflowRunId !== undefined) return { kind: "park", reason: "workflow" };
  if (hasServiceRetry !== true) {
    const unfit = checkFidelity(letter, raw);
    return unfit === null ? { kind: "hold", reason: "no-service-retry" } : { kind: "park", reason: unfit };
  }
  const destination = toDestination(letter.url, undefined, true);
  if (destination === null) return { kind: "park", reason: "bad-destination" };
  const item: BatchItem = {
    destination,
    ...(letter.queueName === undefined ? {} : { queue: letter.queueName }),
    headers: {
      [itemNamesOf(headerPrefix).deduplicationId]: toDeduplicationId(letter.dlqId, maxSuffix),
      ...(letter.callback === undefined ? {} : { [`${headerPrefix}Callback`]: letter.callback }),
      ...(letter.failureCallback === undefined
        ? {}
        : { [`${headerPrefix}Failure-Callback`]: letter.failureCallback }),
    },
  };
  const json = toItemJson(item, headerPrefix);
  const notAllowed = checkItem(item, json.bytes);
  if (notAllowed !== null) return { kind: "park", reason: notAllowed };
  const host = hostOf(destination);
  return {
    kind: "item",
    item: {
      via: "service",
      json,
      lineage: nextLineage(letter, reading, attempt),
      bodyHash: "",
      headerPrefix,
      lineageKey,
      proofAddress: null,
      target: toTarget(item),
      host,
      rateHost: item.queue === undefined ? host : rateHostOf(item),
      losses: [],
      bytes: json.bytes,
      isSentAhead: false,
    },
  };
}
