import type { BatchItem, DeduplicationId } from "./dead-letter.ts";
import { itemNamesOf } from "./headers.ts";

/** An item with its JSON text; `bytes` is the text's length in UTF-8. */
export interface EncodedItem {
  readonly item: BatchItem;
  readonly json: string;
  readonly bytes: number;
}

/** Encodes exactly the four fields that an item may have. */
export function encodeItem(item: BatchItem): EncodedItem {
  const json = toJson(item);
  return { item, json, bytes: Buffer.byteLength(json) };
}

function toJson({ destination, queue, headers, body }: BatchItem): string {
  return JSON.stringify({ destination, queue, headers, body });
}

/** The text of an item, encoded once. Its deduplication id is known only after `begin`. */
export interface ItemText {
  /** With the item's own deduplication id. */
  readonly bytes: number;
  readonly withId: (id: DeduplicationId) => string;
}

/** A longer body is encoded when its item is sent: until then the page would hold it twice. */
const maxKeptChars = 65_536;

/** `item`: with a deduplication id that is as long as any. */
export function toItemText(item: BatchItem, headerPrefix: string): ItemText {
  const { deduplicationId: header } = itemNamesOf(headerPrefix);
  const own = item.headers[header] ?? "";
  const { body = "" } = item;
  const isKept = body.length <= maxKeptChars;
  const json = toJson(isKept ? item : { ...item, body: "" });
  // Inside a string of JSON a quote has a backslash before it, so only the header itself reads like this.
  const start = json.indexOf(`"${header}":"`) + header.length + 4;
  const before = json.slice(0, start);
  const after = json.slice(start + own.length);
  if (isKept) return { bytes: Buffer.byteLength(json), withId: (id) => before + id + after };
  const afterBody = after.slice(0, after.length - 3);
  return {
    bytes: Buffer.byteLength(json) - 2 + bytesOfText(body),
    withId: (id) => `${before}${id}${afterBody}${JSON.stringify(body)}}`,
  };
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

/** The two surrogates of a character beyond U+FFFF stay together. */
function toPieceEnd(text: string, to: number): number {
  const code = text.charCodeAt(to - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? to + 1 : to;
}
