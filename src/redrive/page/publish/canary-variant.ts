/**
 * The shapes in which one candidate may be sent: plain, or as a canary in a step of a lane. They differ in headers alone: body, destination
 * and deduplication id are the same, so a second POST in the other shape is still a second POST of the same id.
 */
import { asCanary, canaryTimeoutMs } from "../../lanes/canary-item.ts";
import type { BatchItem, DeadLetter } from "../../../message/dead-letter.ts";
import { toDeduplicationId } from "../../../message/deduplication-id.ts";
import { encodedBytes } from "../../../message/encode-item.ts";
import { maxStep, signLineage, type Lineage } from "../../../message/lineage.ts";
import { withProofCallback } from "../../../message/proof-callback.ts";
import { inSeries, withLineage } from "../../../message/rebuild-item.ts";
import type { LaneConfig } from "../../../ports/drains.ts";
import type { SendAs, SendVariant } from "../records.ts";

/** The plain item, signed, and what the canary is made of. */
export interface Plain {
  readonly letter: DeadLetter;
  readonly item: BatchItem;
  readonly lineage: Lineage;
  /** Redrives already made that count: after a release one less than the header's. */
  readonly attempt: number;
  readonly bodyHash: string;
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** Where it is called back as a canary; null: it is not. */
  readonly proofAddress: string | null;
}

/** Null: plain, in no step. */
export function toSendVariant(plain: Plain, sendAs: SendAs | null): SendVariant {
  const { letter, headerPrefix } = plain;
  const item = sendAs === null ? plain.item : canaryOf(plain, sendAs);
  return {
    sendAs,
    lineage: sendAs === null ? plain.lineage : lineageIn(plain, sendAs),
    toItem: (suffix) => inSeries(item, headerPrefix, toDeduplicationId(letter.dlqId, suffix)),
  };
}

/**
 * The largest items that may become of it under this lane, with their encoded sizes. A plain one may have a delay and a canary has none, a
 * canary always has a timeout and retries, so either may be the larger.
 */
export function largestShapes(
  plain: Plain,
  lane: LaneConfig | undefined,
): readonly { readonly item: BatchItem; readonly bytes: number }[] {
  const { item } = plain;
  const bytes = encodedBytes(item);
  if (lane === undefined) return [{ item, bytes }];
  const canary = canaryOf(plain, {
    step: maxStep,
    isProbe: true,
    timeoutMs: canaryTimeoutMs(lane.watchMs),
  });
  return [
    { item, bytes },
    { item: canary, bytes: bytes - headerBytesOf(item) + headerBytesOf(canary) },
  ];
}

function canaryOf(plain: Plain, sendAs: SendAs): BatchItem {
  const { item, headerPrefix, bodyHash, lineageKey, proofAddress } = plain;
  const lineage = signLineage(lineageIn(plain, sendAs), bodyHash, lineageKey);
  const canary = asCanary(withLineage(item, headerPrefix, lineage), headerPrefix, sendAs.timeoutMs);
  if (proofAddress === null) return canary;
  return withProofCallback(canary, headerPrefix, proofAddress, lineageKey) ?? canary;
}

/**
 * A release lowers the count, and a plain message carries the header's all the same. A canary carries the lowered one: what a person has
 * granted is then still there if it comes back down, and spent if it is refused.
 */
function lineageIn({ lineage, attempt }: Plain, { step: { lane, step }, isProbe }: SendAs): Lineage {
  return { ...lineage, attempt: attempt + 1, step: { lane, step, isCanary: true, isProbe } };
}

function headerBytesOf({ headers }: BatchItem): number {
  return Buffer.byteLength(JSON.stringify(headers));
}
