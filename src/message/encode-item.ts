import type { BatchItem, DeduplicationId } from "./dead-letter.ts";
import { itemNamesOf } from "./headers.ts";

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
  /** Up to the deduplication id. */
  readonly head: Buffer;
  /** From there on, a large body left out. */
  readonly tail: Buffer;
  /** A longer body is encoded when its item is sent: until then the page would hold it twice. */
  readonly largeBody: string | null;
}

const maxKeptChars = 65_536;

/**
 * `item`: with a deduplication id that is as long as any. It is kept as bytes, because V8 copies each string
 * that outlives two collections, and an item waits for its begin and its batch.
 */
export function toItemJson({ destination, queue, headers, body }: BatchItem, headerPrefix: string): ItemJson {
  const { deduplicationId: name } = itemNamesOf(headerPrefix);
  const text = JSON.stringify(headers);
  // Inside a string of JSON a quote has a backslash before it, so only the header itself reads like this.
  const start = text.indexOf(`"${name}":"`) + name.length + 4;
  const end = text.indexOf('"', start);
  const target = `{"destination":${JSON.stringify(destination)}`;
  const inQueue = queue === undefined ? "" : `,"queue":${JSON.stringify(queue)}`;
  const head = Buffer.from(`${target}${inQueue},"headers":${text.slice(0, start)}`);
  const afterId = text.slice(end);
  const bytes = head.length + end - start;
  if (body !== undefined && body.length > maxKeptChars) {
    const tail = Buffer.from(`${afterId},"body":`);
    return { bytes: bytes + tail.length + bytesOfText(body) + 1, head, tail, largeBody: body };
  }
  const tail = Buffer.from(`${afterId}${body === undefined ? "" : `,"body":${JSON.stringify(body)}`}}`);
  return { bytes: bytes + tail.length, head, tail, largeBody: null };
}

/** As `encodeItem` writes it. */
export function withId({ head, tail, largeBody }: ItemJson, id: DeduplicationId): EncodedItem {
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
