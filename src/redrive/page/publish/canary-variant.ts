/**
 * The variants in which one candidate may be sent: plain, or as a canary in a step of a lane. They differ in
 * headers alone. Body, destination and deduplication id are the same, so a second POST of the other variant
 * is a second POST of the same id.
 */
import type { BatchItem, DlqId } from "../../../message/dead-letter.ts";
import { toDeduplicationId } from "../../../message/deduplication-id.ts";
import { decodeItem, toItemJson, type EncodedItem, type ItemJson } from "../../../message/encode-item.ts";
import { itemNamesOf } from "../../../message/headers.ts";
import { fillerOf, maxStep, signLineage, type Lineage } from "../../../message/lineage.ts";
import { withProofCallback } from "../../../message/proof-callback-url.ts";
import type { LaneConfig } from "../../../ports/drains-document.ts";
import type { SendAs, SendVariant } from "../records.ts";

/** A suffix with as many digits as any series will reach: the size of a candidate is that of its largest. */
export const maxSuffix = 999;

/** The plain item, signed, as JSON, with everything its canary needs. */
export interface Plain {
  readonly dlqId: DlqId;
  readonly json: ItemJson;
  readonly lineage: Lineage;
  /** Redrives already made that count: after a release one less than the header's. */
  readonly attempt: number;
  readonly bodyHash: string;
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** The callback address of its canary; null: no callback. */
  readonly proofAddress: string | null;
}

/** The item for a series' suffix. */
export function itemOf(plain: Plain, suffix: number): BatchItem {
  return decodeItem(encodedOf(plain, suffix));
}

/** The same as JSON. */
export function encodedOf({ dlqId, json }: Plain, suffix: number): EncodedItem {
  return json.withId(toDeduplicationId(dlqId, suffix));
}

export function toCanaryVariant(plain: Plain, sendAs: SendAs): SendVariant {
  const { bodyHash, headerPrefix, lineageKey } = plain;
  const lineage = lineageIn(plain, sendAs);
  const item = canaryOf(plain, itemOf(plain, maxSuffix), sendAs, signLineage(lineage, bodyHash, lineageKey));
  const canary = { ...plain, json: toItemJson(item, headerPrefix), lineage };
  return {
    sendAs,
    lineage,
    toItem: (suffix) => itemOf(canary, suffix),
    toEncoded: (suffix) => encodedOf(canary, suffix),
  };
}

/**
 * The largest canary of the plain item under this lane, with its encoded bytes, and with a filler for its
 * lineage. A plain item may have a delay and a canary has none. But a canary always has a timeout and
 * retries, so either may be larger.
 */
export function largestCanary(
  plain: Plain,
  item: BatchItem,
  { watchMs }: LaneConfig,
): { readonly item: BatchItem; readonly bytes: number } {
  const sendAs = { step: maxStep, isProbe: true, timeoutMs: canaryTimeoutMs(watchMs) };
  const canary = canaryOf(plain, item, sendAs, fillerOf(lineageIn(plain, sendAs), plain.bodyHash));
  return { item: canary, bytes: plain.json.bytes + addedBytes(item.headers, canary.headers) };
}

function canaryOf(
  { headerPrefix, lineageKey, proofAddress }: Plain,
  item: BatchItem,
  { timeoutMs }: SendAs,
  lineage: string,
) {
  const canary = asCanary(item, headerPrefix, timeoutMs, lineage);
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

/** What the encoded headers of an item grow by. Both have some. */
function addedBytes(before: BatchItem["headers"], after: BatchItem["headers"]): number {
  let bytes = 0;
  for (const name of Object.keys(after)) {
    if (after[name] !== before[name]) bytes += bytesOf(name, after[name]) - bytesOf(name, before[name]);
  }
  for (const name of Object.keys(before)) if (after[name] === undefined) bytes -= bytesOf(name, before[name]);
  return bytes;
}

/** Of a header with its colon and comma; none of an absent one. */
function bytesOf(name: string, value: string | undefined): number {
  if (value === undefined) return 0;
  return Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value)) + 2;
}

/**
 * The item as a canary: one attempt, at once. If it fails, it is back in the DLQ before its watch is over.
 * Its lineage has the root's retries, and the rule sets its delay again, so its ordinary settings are not
 * lost.
 */
export function asCanary(
  item: BatchItem,
  headerPrefix: string,
  timeoutMs: number,
  lineage: string,
): BatchItem {
  const names = itemNamesOf(headerPrefix);
  const headers: Record<string, string> = {};
  for (const name of Object.keys(item.headers)) {
    if (name !== names.delay) headers[name] = item.headers[name]!;
  }
  headers[names.lineage] = lineage;
  headers[names.retries] = "0";
  // A timeout that a rule has set has the form of rebuild-item.ts.
  const own = headers[names.timeout];
  const ownSeconds = own === undefined ? Infinity : Number.parseInt(own, 10);
  headers[names.timeout] = `${Math.min(ownSeconds, Math.max(1, Math.floor(timeoutMs / 1_000)))}s`;
  return { ...item, headers };
}

/** Three quarters of the watch, in whole seconds. The last quarter is for its way back into the DLQ. */
export function canaryTimeoutMs(watchMs: number): number {
  return Math.max(1, Math.floor((watchMs * 3) / 4_000)) * 1_000;
}
