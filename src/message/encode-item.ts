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
