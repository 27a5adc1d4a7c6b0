import type { BatchItem, DeduplicationId } from "./dead-letter.ts";
import { itemNamesOf } from "./headers.ts";

/** The JSON text of an item; `bytes` is the text's length in UTF-8. */
export interface EncodedItem {
  readonly json: string;
  readonly bytes: number;
}

/** Encodes exactly the four fields that an item may have. */
export function encodeItem({ destination, queue, headers, body }: BatchItem): EncodedItem {
  const json = JSON.stringify({ destination, queue, headers, body });
  return { json, bytes: Buffer.byteLength(json) };
}

/** The text of an item, encoded once. Its deduplication id is known only after `begin`. */
export interface ItemText {
  /** With the item's own deduplication id. */
  readonly bytes: number;
  /** As `encodeItem` writes it. */
  readonly withId: (id: DeduplicationId) => string;
}

/** A longer body is encoded when its item is sent: until then the page would hold it twice. */
const maxKeptChars = 65_536;

/** `item`: with a deduplication id that is as long as any. */
export function toItemText({ destination, queue, headers, body }: BatchItem, headerPrefix: string): ItemText {
  const { deduplicationId: name } = itemNamesOf(headerPrefix);
  const text = JSON.stringify(headers);
  // Inside a string of JSON a quote has a backslash before it, so only the header itself reads like this.
  const start = text.indexOf(`"${name}":"`) + name.length + 4;
  const end = text.indexOf('"', start);
  const to = `{"destination":${JSON.stringify(destination)}`;
  const target = queue === undefined ? to : `${to},"queue":${JSON.stringify(queue)}`;
  const withId = (id: DeduplicationId): string =>
    `${target},"headers":${text.slice(0, start)}${id}${text.slice(end)}`;
  const bytes = Buffer.byteLength(target) + 11 + Buffer.byteLength(text) + 1;
  if (body === undefined) return { bytes, withId: (id) => `${withId(id)}}` };
  const kept = body.length > maxKeptChars ? null : JSON.stringify(body);
  return {
    bytes: bytes + 8 + (kept === null ? bytesOfText(body) : Buffer.byteLength(kept)),
    withId: (id) => `${withId(id)},"body":${kept ?? JSON.stringify(body)}}`,
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
