import type { EncodedItem } from "../../src/job/message/encode-item.ts";

/** The JSON text that a batch has for an item. */
export function textOfEncoded(item: EncodedItem): string {
  return Buffer.concat([item].flat().map((piece) => Buffer.from(piece as string))).toString();
}
