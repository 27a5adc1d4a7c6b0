import type { BatchItem, DeduplicationId } from "./dead-letter.ts";
import { itemNamesOf } from "./headers.ts";
import { maxEscapedBytes, writeJsonText } from "./json-text.ts";

/** Exactly the four fields that an item may have, as JSON; `bytes` is its length in UTF-8. */
export function encodeItem({ destination, queue, headers, body }: BatchItem): {
  readonly json: string;
  readonly bytes: number;
} {
  const json = JSON.stringify({ destination, queue, headers, body });
  return { json, bytes: Buffer.byteLength(json) };
}

/** The item that was encoded. */
export function decodeItem(encoded: EncodedItem): BatchItem {
  const text = typeof encoded === "string" ? encoded : encoded.map(String).join("");
  return JSON.parse(text) as BatchItem;
}

/** An item's JSON, whole or in pieces: text, and UTF-8 that is ready to be sent. */
export type EncodedItem = string | readonly (string | Buffer)[];

/** An item as JSON, encoded once. Its deduplication id is known only after `begin`. */
export interface ItemJson {
  /** With the item's own deduplication id. */
  readonly bytes: number;
  /** Without the deduplication id, and a large body left out. */
  readonly json: Buffer;
  /** Where the deduplication id belongs in `json`. */
  readonly idAt: number;
  /** A longer body is encoded when its item is sent: until then the page would hold it twice. */
  readonly largeBody: string | null;
}

const maxKeptChars = 65_536;
/** Of items that share one allocation: a page of usual size. An item that may take a quarter has its own. */
const sharedBytes = 262_144;
/** More than what stands around the fields of an item. */
const aroundFields = 64;

let shared = Buffer.allocUnsafeSlow(0);
let sharedUsed = 0;

const [itemStart, inQueue, bodyStart] = ['{"destination":', ',"queue":', '},"body":'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer];
const inHeaders = ',"headers":';
const [brace, braceEnd] = [0x7b, 0x7d];

/**
 * `item`: with a deduplication id that is as long as any. It is kept as bytes, because V8 copies each string
 * that outlives two collections, and an item waits for its begin and its batch. Its fields are written as bytes one
 * by one: to join them as texts first takes twice as long, and 2.5 KB of garbage.
 */
export function toItemJson({ destination, queue, headers, body }: BatchItem, headerPrefix: string): ItemJson {
  const { deduplicationId, itemHeader } = itemNamesOf(headerPrefix);
  const largeBody = body !== undefined && body.length > maxKeptChars ? body : null;
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

  let at = writeJsonText(itemStart, destination, target, start);
  if (queue !== undefined) at = writeJsonText(inQueue, queue, target, at);
  at += target.write(inHeaders, at, "latin1");
  const headersAt = at;
  let idAt: number | null = null;
  for (const name in headers) {
    const isId = name === deduplicationId;
    at = writeJsonText(itemHeader(name).json, isId ? "" : headers[name]!, target, at);
    if (isId) idAt = at - 1 - start;
  }
  // In place of the comma before the first.
  target[headersAt] = brace;
  at = Math.max(at, headersAt + 1);
  if (keptBody !== undefined) at = writeJsonText(bodyStart, keptBody, target, at);
  else if (largeBody === null) target[at++] = braceEnd;
  else at += bodyStart.copy(target, at);
  if (largeBody === null) target[at++] = braceEnd;
  if (isShared) sharedUsed = at;
  const json = target.subarray(start, at);
  const idBytes = headers[deduplicationId]?.length ?? 0;
  const bytes = json.length + idBytes + (largeBody === null ? 0 : bytesOfText(largeBody) + 1);
  return { bytes, json, idAt: idAt ?? json.length, largeBody };
}

function bytesOfTexts(texts: readonly string[], headers: BatchItem["headers"]): number {
  let bytes = 0;
  for (const text of texts) bytes += bytesOfText(text);
  for (const [name, value] of Object.entries(headers)) bytes += bytesOfText(name) + bytesOfText(value) + 2;
  return bytes;
}

/** As `encodeItem` writes it. */
export function withId({ json, idAt, largeBody }: ItemJson, id: DeduplicationId): EncodedItem {
  const [head, tail] = [json.subarray(0, idAt), json.subarray(idAt)];
  return largeBody === null ? [head, id, tail] : [head, id, tail, JSON.stringify(largeBody), "}"];
}

/** Bytes of a text as JSON. It is encoded piece by piece, without a copy. */
function bytesOfText(text: string): number {
  let bytes = 2;
  for (let from = 0; from < text.length;) {
    const to = toPieceEnd(text, from + maxKeptChars);
    bytes += Buffer.byteLength(JSON.stringify(text.slice(from, to))) - 2;
    from = to;
  }
  return bytes;
}

/** Where a piece of about this length ends: the two surrogates of a character beyond U+FFFF stay together. */
export function toPieceEnd(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const code = text.charCodeAt(to - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? to + 1 : to;
}
