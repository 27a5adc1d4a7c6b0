import type { BatchItem } from "./dead-letter.ts";
import { itemNamesOf } from "./headers.ts";
import { maxEscapedBytes, maxPieceUnits, toJsonPieces, toJsonText, writeJsonText } from "./json-text.ts";

/** A long text, and how many bytes it has as JSON, without quotes. It is written as JSON while it is sent: never whole. */
export interface LargeText {
  readonly text: string;
  readonly bytes: number;
}

/** An item's JSON, whole or in pieces: text, UTF-8 that is ready to be sent, and a large body between its quotes. */
export type EncodedItem = string | readonly (string | Buffer | LargeText)[];

/** Exactly the four fields that an item may have, as JSON; `bytes` is its length in UTF-8. */
export function encodeItem({ destination, queue, headers, body }: BatchItem) {
  const large = body === undefined ? null : toLargeText(body);
  const json = JSON.stringify({ destination, queue, headers, body: large === null ? body : undefined });
  if (large === null) return { json, bytes: Buffer.byteLength(json) };
  const head = `${json.slice(0, -1)},"body":"`;
  return { json: [head, large, '"}'], bytes: Buffer.byteLength(head) + large.bytes + 2 };
}

export function decodeItem(encoded: EncodedItem): BatchItem {
  let text = "";
  let large: LargeText | null = null;
  for (const piece of typeof encoded === "string" ? [encoded] : encoded) {
    if (isLargeText(piece)) large = piece;
    else text += String(piece);
  }
  const item = JSON.parse(text) as BatchItem;
  return large === null ? item : { ...item, body: large.text };
}

export function isLargeText(piece: string | Buffer | LargeText): piece is LargeText {
  return typeof piece === "object" && "text" in piece;
}

/** An item as JSON, encoded once. The number of its series is known only after `begin`, and is mostly 1. */
export interface ItemJson {
  readonly bytes: number;
  /** With the deduplication id of its first series. It ends in the first quote of a large body, which is left out. */
  readonly json: Buffer;
  /** Where the deduplication id ends in `json`, and has the suffix of another series. */
  readonly idEnd: number;
  /** Encoded when its item is sent: until then the page would hold it twice. */
  readonly largeBody: LargeText | null;
}

/** With as many digits as any series will reach: the size of an item is that of its largest. */
export const maxSuffix = 999;
const longestSuffix = `-${maxSuffix}`;

/** Of items that share one allocation: a page of usual size. An item that may take a quarter has its own. */
const sharedBytes = 262_144;
const aroundFields = 64;

let shared = Buffer.allocUnsafeSlow(0);
let sharedUsed = 0;

const braceEnd = 0x7d;

/**
 * `item`: with a deduplication id that ends in `longestSuffix`. It is kept as bytes, because V8 copies each string
 * that outlives two collections, and an item waits for its begin and its batch. All but its body is joined as one
 * text first, and written at once.
 */
export function toItemJson({ destination, queue, headers, body }: BatchItem, headerPrefix: string): ItemJson {
  const { deduplicationId, itemHeader } = itemNamesOf(headerPrefix);
  const largeBody = body === undefined ? null : toLargeText(body);
  const keptBody = largeBody === null ? body : undefined;
  let units = aroundFields + destination.length + (queue?.length ?? 0) + (keptBody?.length ?? 0);
  for (const name in headers) units += name.length + headers[name]!.length + 1;
  const most = units * maxEscapedBytes;
  const isShared = most <= sharedBytes / 4;
  if (isShared && sharedUsed + most > shared.length) {
    shared = Buffer.allocUnsafeSlow(sharedBytes);
    sharedUsed = 0;
  }
  const start = isShared ? sharedUsed : 0;
  const target = isShared
    ? shared
    : Buffer.allocUnsafeSlow(
        aroundFields + bytesOfTexts([destination, queue ?? "", keptBody ?? ""], headers),
      );

  let head = `{"destination":${toJsonText(destination)}`;
  if (queue !== undefined) head += `,"queue":${toJsonText(queue)}`;
  head += ',"headers":{';
  let idEndUnits = 0;
  let comma = "";
  for (const name in headers) {
    const isId = name === deduplicationId;
    const value = isId ? headers[name]!.slice(0, -longestSuffix.length) : headers[name]!;
    head += comma + itemHeader(name).toJson(value);
    if (isId) idEndUnits = head.length - 1;
    comma = ",";
  }
  head += body === undefined ? "}" : '},"body":';
  if (largeBody !== null) head += '"';
  let at = start + target.write(head, start);
  // Nearly all heads are ASCII, a byte for each unit.
  const isAscii = at - start === head.length;
  const idEnd = isAscii ? idEndUnits : Buffer.byteLength(head.slice(0, idEndUnits));
  if (keptBody !== undefined) at = writeJsonText(keptBody, target, at);
  if (largeBody === null) target[at++] = braceEnd;
  if (isShared) sharedUsed = at;
  const json = target.subarray(start, at);
  const bytes = json.length + longestSuffix.length + (largeBody === null ? 0 : largeBody.bytes + 2);
  return { bytes, json, idEnd, largeBody };
}

function toLargeText(text: string): LargeText | null {
  return text.length > maxPieceUnits ? { text, bytes: bytesOfText(text) - 2 } : null;
}

function bytesOfTexts(texts: readonly string[], headers: BatchItem["headers"]): number {
  let bytes = 0;
  for (const text of texts) bytes += bytesOfText(text);
  for (const [name, value] of Object.entries(headers)) bytes += bytesOfText(name) + bytesOfText(value) + 2;
  return bytes;
}

export function inSeries({ json, idEnd, largeBody }: ItemJson, suffix: number): EncodedItem {
  const pieces = suffix === 1 ? [json] : [json.subarray(0, idEnd), `-${suffix}`, json.subarray(idEnd)];
  return largeBody === null ? pieces : [...pieces, largeBody, '"}'];
}

function bytesOfText(text: string): number {
  let bytes = 0;
  for (const piece of toJsonPieces(text)) bytes += Buffer.byteLength(piece);
  return bytes;
}
