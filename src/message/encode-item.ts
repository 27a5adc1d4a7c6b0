import type { BatchItem } from "./dead-letter.ts";

/** An item with its JSON text; `bytes` is the text's length in UTF-8. */
export interface EncodedItem {
  readonly item: BatchItem;
  readonly json: string;
  readonly bytes: number;
}

/** Encodes exactly the four fields that an item may have. */
export function encodeItem(item: BatchItem): EncodedItem {
  const { destination, queue, headers, body } = item;
  const json = JSON.stringify({ destination, queue, headers, body });
  return { item, json, bytes: Buffer.byteLength(json) };
}

const pieceChars = 65_536;

/** Bytes of an item's encoding. A large body is encoded piece by piece, without a copy. */
export function encodedBytes(item: BatchItem): number {
  const { body, ...rest } = item;
  if (body === undefined || body.length <= pieceChars) return encodeItem(item).bytes;
  let bytes = encodeItem({ ...rest, body: "" }).bytes;
  for (let from = 0; from < body.length;) {
    const to = toPieceEnd(body, from + pieceChars);
    bytes += Buffer.byteLength(JSON.stringify(body.slice(from, to))) - 2;
    from = to;
  }
  return bytes;
}

/** The two surrogates of a character beyond U+FFFF stay together. */
function toPieceEnd(text: string, to: number): number {
  const code = text.charCodeAt(to - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? to + 1 : to;
}
