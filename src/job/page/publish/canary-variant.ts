/** A letter is sent plain, or as a canary. They differ in headers alone, so either is a POST of the same id. */
import type { BatchItem } from "../../message/dead-letter.ts";
import { decodeItem, inSeries } from "../../message/encode-item.ts";
import { itemNamesOf } from "../../message/headers.ts";
import { fillerOf, maxStep, signLineage, type Lineage } from "../../message/lineage.ts";
import { withProofCallback } from "../../message/proof-callback-url.ts";
import type { StepRef } from "../../contracts/lanes.ts";
import type { LaneConfig } from "../../contracts/drains-document.ts";
import type { Item, Letter, SendAs } from "../letter.ts";

export type Sendable = Pick<Letter, "sendAs" | "due">;

export function itemOf({ sendAs, due }: Sendable, suffix: number): BatchItem {
  const item = decodeItem(inSeries(due.json, suffix));
  if (sendAs === null) return item;
  return canaryOf(due, item, sendAs.timeoutMs, signLineage(sendAs.lineage, due.bodyHash, due.lineageKey));
}

export function sendAsCanary(letter: Letter, { step, isProbe, timeoutMs, endsAt }: Omit<SendAs, "lineage">) {
  const lineage = lineageIn(letter.due.lineage, letter.attempt, step, isProbe);
  letter.sendAs = { step, isProbe, timeoutMs, endsAt, lineage };
}

/** Its lineage is a filler. A canary has a timeout, retries and no delay: the plain item or it may be larger. */
export function largestCanary(
  plain: Pick<Item, "json" | "lineage" | "bodyHash" | "headerPrefix" | "lineageKey" | "proofAddress">,
  attempt: number,
  item: BatchItem,
  { watchMs }: LaneConfig,
): { readonly item: BatchItem; readonly bytes: number } {
  const lineage = lineageIn(plain.lineage, attempt, maxStep, true);
  const canary = canaryOf(plain, item, canaryTimeoutMs(watchMs), fillerOf(lineage, plain.bodyHash));
  return {
    item: canary,
    bytes:
      plain.json.bytes + addedBytes(item.headers, canary.headers, itemNamesOf(plain.headerPrefix).lineage),
  };
}

function canaryOf(
  { headerPrefix, lineageKey, proofAddress }: Pick<Item, "headerPrefix" | "lineageKey" | "proofAddress">,
  item: BatchItem,
  timeoutMs: number,
  lineage: string,
) {
  const canary = asCanary(item, headerPrefix, timeoutMs, lineage);
  if (proofAddress === null) return canary;
  return withProofCallback(canary, headerPrefix, proofAddress, lineageKey) ?? canary;
}

/**
 * After a release the ledger's count is lower than the header's. A plain message carries the header's plus one, a
 * canary the ledger's plus one. So one that comes back as down leaves the granted attempt, and a refused one spends
 * it.
 */
function lineageIn(lineage: Lineage, attempt: number, { lane, step }: StepRef, isProbe: boolean): Lineage {
  return { ...lineage, attempt: attempt + 1, step: { lane, step, isCanary: true, isProbe } };
}

/** What the encoded headers of an item grow by. Both have some, and a lineage. */
function addedBytes(before: BatchItem["headers"], after: BatchItem["headers"], lineageName: string): number {
  // Without characters that JSON escapes, and far longer than the others.
  let bytes = after[lineageName]!.length - before[lineageName]!.length;
  for (const name in after) {
    if (name === lineageName || after[name] === before[name]) continue;
    bytes += bytesOf(name, after[name]) - bytesOf(name, before[name]);
  }
  for (const name in before) if (after[name] === undefined) bytes -= bytesOf(name, before[name]);
  return bytes;
}

/** Of a header with its colon and comma; none of an absent one. */
function bytesOf(name: string, value: string | undefined): number {
  if (value === undefined) return 0;
  return Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value)) + 2;
}

/** One attempt, at once: if it fails, it is back before its watch is over. Its lineage has the root's retries. */
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
