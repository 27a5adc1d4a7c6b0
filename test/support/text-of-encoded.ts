import { isLargeText, type EncodedItem } from "../../src/job/message/encode-item.ts";

/** The JSON text that a batch has for an item. */
export function textOfEncoded(item: EncodedItem): string {
  if (typeof item === "string") return item;
  const pieces = item.map((piece) =>
    Buffer.from(isLargeText(piece) ? JSON.stringify(piece.text).slice(1, -1) : (piece as string)),
  );
  return Buffer.concat(pieces).toString();
}
