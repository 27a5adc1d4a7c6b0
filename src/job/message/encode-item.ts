import type { BatchItem, DeduplicationId } from "./dead-letter.ts";
import { itemNamesOf } from "./headers.ts";
import { maxEscapedBytes, toJsonText, writeJsonText } from "./json-text.ts";

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
/** Of items that share one allocation: a page of usual size, and a body of some 10 KB in any characters. */
const sharedBytes = 262_144;
const maxBytesPerUnit = 3;

let shared = Buffer.allocUnsafeSlow(0);
let sharedUsed = 0;

/**
 * `item`: with a deduplication id that is as long as any. It is kept as bytes, because V8 copies each string
 * that outlives two collections, and an item waits for its begin and its batch.
 */
export function toItemJson({ destination, queue, headers, body }: BatchItem, headerPrefix: string): ItemJson {
  const { deduplicationId, itemHeader } = itemNamesOf(headerPrefix);
  const inQueue = queue === undefined ? "" : `,"queue":${toJsonText(queue)}`;
  let head = `{"destination":${toJsonText(destination)}${inQueue},"headers":{`;
  let tail = "";
  let id: string | null = null;
  let comma = "";
  for (const name in headers) {
    const value = headers[name]!;
    const start = comma + itemHeader(name).json;
    comma = ",";
    if (name === deduplicationId) {
      id = value;
      head += `${start}"`;
      tail = '"';
    } else if (id === null) {
      head += start + toJsonText(value);
    } else {
      tail += start + toJsonText(value);
    }
  }
  const idBytes = id?.length ?? 0;
  if (body !== undefined && body.length > maxKeptChars) {
    const { json, idAt } = toBytes(head, `${tail}},"body":`);
    return { bytes: json.length + idBytes + bytesOfText(body) + 1, json, idAt, largeBody: body };
  }
  const { json, idAt } =
    body === undefined ? toBytes(head, `${tail}}}`) : toBytes(head, `${tail}},"body":`, body);
  return { bytes: json.length + idBytes, json, idAt, largeBody: null };
}

/** A body's bytes, one body after the other. */
const kept = Buffer.allocUnsafeSlow(maxKeptChars * maxBytesPerUnit);

/** Part by part into shared memory: V8 would copy a long text once more to put another behind it. */
function toBytes(head: string, tail: string, body?: string): Pick<ItemJson, "json" | "idAt"> {
  const length = body === undefined ? 0 : kept.write(body);
  const most = (head.length + tail.length) * maxBytesPerUnit + length * maxEscapedBytes + 3;
  // Half of a character has no bytes of its own.
  if (most > sharedBytes / 4 || (body !== undefined && !body.isWellFormed())) {
    const end = body === undefined ? "" : `${JSON.stringify(body)}}`;
    return { json: Buffer.from(head + tail + end), idAt: Buffer.byteLength(head) };
  }
  if (sharedUsed + most > shared.length) {
    shared = Buffer.allocUnsafeSlow(sharedBytes);
    sharedUsed = 0;
  }
  const start = sharedUsed;
  const idAt = shared.write(head, start);
  let at = start + idAt;
  at += shared.write(tail, at);
  if (body !== undefined) {
    at = writeJsonText(kept, length, shared, at);
    at += shared.write("}", at);
  }
  sharedUsed = at;
  return { json: shared.subarray(start, at), idAt };
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
