/**
 * The variants in which one candidate may be sent: plain, or as a canary in a step of a lane. They differ in
 * headers alone. Body, destination and deduplication id are the same, so a second POST of the other variant
 * is a second POST of the same id.
 */
import type { BatchItem, DeadLetter } from "../../../message/dead-letter.ts";
import { toDeduplicationId } from "../../../message/deduplication-id.ts";
import { encodedBytes } from "../../../message/encode-item.ts";
import { maxStep, signLineage, type Lineage } from "../../../message/lineage.ts";
import { withProofCallback } from "../../../message/proof-callback-url.ts";
import { inSeries, withLineage } from "../../../message/rebuild-item.ts";
import type { LaneConfig } from "../../../ports/drains-document.ts";
import type { SendAs, SendVariant } from "../records.ts";

/** The plain item, signed, with everything its canary needs. */
export interface Plain {
  readonly letter: DeadLetter;
  readonly item: BatchItem;
  readonly lineage: Lineage;
  /** Redrives already made that count: after a release one less than the header's. */
  readonly attempt: number;
  readonly bodyHash: string;
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** The callback address of its canary; null: no callback. */
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
 * The variants under this lane, with their encoded bytes. A plain item may have a delay and a canary has
 * none. But a canary always has a timeout and retries, so either may be larger.
 */
export function largestVariants(
  plain: Plain,
  lane: LaneConfig | undefined,
): readonly { readonly item: BatchItem; readonly bytes: number }[] {
  const { item } = plain;
  const bytes = encodedBytes(item);
  if (lane === undefined) return [{ item, bytes }];
  const sendAs = { step: maxStep, isProbe: true, timeoutMs: canaryTimeoutMs(lane.watchMs) };
  const canary = canaryOf(plain, sendAs);
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
 * A release lowers the ledger's count by one, and the record's header still has the old one. A plain message
 * carries the header's count plus one, a canary the lowered count plus one. So a canary that comes back as
 * down leaves the granted attempt, and one that is refused spends it.
 */
function lineageIn({ lineage, attempt }: Plain, { step: { lane, step }, isProbe }: SendAs): Lineage {
  return { ...lineage, attempt: attempt + 1, step: { lane, step, isCanary: true, isProbe } };
}

function headerBytesOf({ headers }: BatchItem): number {
  return Buffer.byteLength(JSON.stringify(headers));
}

/**
 * The item as a canary: one attempt, at once. If it fails, it is back in the DLQ before its watch is over.
 * Its lineage has the root's retries, and the rule sets its delay again, so its ordinary settings are not
 * lost.
 */
export function asCanary(item: BatchItem, headerPrefix: string, timeoutMs: number): BatchItem {
  const headers = { ...item.headers };
  const timeout = `${headerPrefix}Timeout`;
  delete headers[`${headerPrefix}Delay`];
  headers[`${headerPrefix}Retries`] = "0";
  // A timeout that a rule has set has the form of rebuild-item.ts.
  const own = headers[timeout];
  const ownSeconds = own === undefined ? Infinity : Number.parseInt(own, 10);
  headers[timeout] = `${Math.min(ownSeconds, Math.max(1, Math.floor(timeoutMs / 1_000)))}s`;
  return { ...item, headers };
}

/** Three quarters of the watch, in whole seconds. The last quarter is for its way back into the DLQ. */
export function canaryTimeoutMs(watchMs: number): number {
  return Math.max(1, Math.floor((watchMs * 3) / 4_000)) * 1_000;
}
