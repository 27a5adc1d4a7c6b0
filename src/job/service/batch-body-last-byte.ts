/**
 * The body of POST /v2/batch as a stream that asks before its last byte. JSON without its last byte cannot be accepted,
 * so a batch that is late, or was stopped, is withheld by keeping that one byte back (ledger.md, "The last byte").
 *
 *   nothing ─► part ─► all        how much may have left this process
 *                └──► withheld    the last byte was not allowed; `all` is never reached
 */
import type { EncodedItem, LargeText } from "../message/encode-item.ts";
import { jsonBetweenQuotes, maxEscapedBytes, toPieceEnd } from "../message/json-text.ts";
import type { SpareBuffers } from "./spare-buffers.ts";

export type Sent = "nothing" | "part" | "all";

export type BatchBody = ReturnType<typeof createBatchBody>;

const lastByte = Buffer.from("]");

export function createBatchBody(
  encodedItems: readonly EncodedItem[],
  lastByteAllowed: () => boolean,
  spare: SpareBuffers,
) {
  const encoder = createEncoder(encodedItems);
  let sent: Sent = "nothing";
  let state: "fresh" | "read" | "stopped" = "fresh";
  const isStopped = (): boolean => state === "stopped";
  const encodeFirst = () => {
    const buffer = spare.take();
    return { buffer, length: encoder.encode(buffer) };
  };
  let first: ReturnType<typeof encodeFirst> | undefined;
  return {
    /** Encodes what fits into one buffer, so it is asked for when there is a connection. */
    byteLength(): number {
      first ??= encodeFirst();
      return first.length + encoder.bytesLeft() + lastByte.byteLength;
    },
    /** How much was handed over. It is raised before the bytes are, so it never reports less than what left. */
    sent: (): Sent => sent,
    stop(): void {
      state = "stopped";
    },
    /**
     * The bytes, once. A second reading fails, so that no library can send a batch again. `flushed` resolves when all
     * earlier bytes have left this process. Without it, the last one could wait behind them until long after it was
     * allowed.
     */
    async *bytes(flushed: () => Promise<void>, onWithheld: () => void): AsyncIterable<Uint8Array> {
      if (state !== "fresh") throw new Error("the body of a batch can be read only once");
      state = "read";
      first ??= encodeFirst();
      const { buffer } = first;
      for (let { length } = first; length > 0; length = encoder.encode(buffer)) {
        if (isStopped()) throw new Error("the batch was stopped");
        sent = "part";
        yield buffer.subarray(0, length);
        // Then nobody else reads the buffer.
        await flushed();
      }
      if (!isStopped() && !isAllowed(lastByteAllowed)) {
        onWithheld();
        throw new Error("the last byte of the batch was withheld");
      }
      if (isStopped()) throw new Error("the batch was stopped");
      spare.giveBack(buffer);
      sent = "all";
      yield lastByte;
    },
  };
}

// A check that fails allows nothing.
function isAllowed(lastByteAllowed: () => boolean): boolean {
  try {
    return lastByteAllowed();
  } catch {
    return false;
  }
}

/** The most bytes of a character: of one UTF-16 unit. The two units of a pair take four together. */
const maxBytesPerUnit = 3;
/** A buffer with less room left is full. */
const minRoom = 65_536;

type Piece = string | Buffer | LargeText;

/** Writes all but the last byte. It lets go of the items at once: V8's collector would copy them twice. */
function createEncoder(encodedItems: readonly EncodedItem[]) {
  let left = toPieces(encodedItems);
  let bytesLeft = left.reduce((sum, piece) => sum + bytesOf(piece), 0);
  let index = 0;
  let from = 0;
  return {
    encode(buffer: Buffer): number {
      let at = 0;
      while (index < left.length && buffer.byteLength - at >= minRoom) {
        const piece = left[index] ?? "";
        const room = buffer.byteLength - at;
        let to: number;
        let isWhole: boolean;
        if (Buffer.isBuffer(piece)) {
          to = Math.min(piece.length, from + room);
          at += piece.copy(buffer, at, from, to);
          isWhole = to === piece.length;
        } else {
          // A large text is never copied whole.
          const isJson = typeof piece === "string";
          const text = isJson ? piece : piece.text;
          to = toPieceEnd(text, from + Math.floor(room / (isJson ? maxBytesPerUnit : maxEscapedBytes)) - 1);
          isWhole = to === text.length;
          const part = from === 0 && isWhole ? text : text.slice(from, to);
          at += buffer.write(isJson ? part : jsonBetweenQuotes(part), at);
        }
        from = isWhole ? 0 : to;
        if (isWhole) index += 1;
      }
      if (index === left.length) left = [];
      bytesLeft -= at;
      return at;
    },
    bytesLeft: () => bytesLeft,
  };
}

function bytesOf(piece: Piece): number {
  if (typeof piece === "string") return Buffer.byteLength(piece);
  return Buffer.isBuffer(piece) ? piece.length : piece.bytes;
}

/** With the bracket and the commas of the array, but for the last bracket. */
function toPieces(encodedItems: readonly EncodedItem[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const item of encodedItems) {
    pieces.push(pieces.length === 0 ? "[" : ",");
    if (typeof item === "string") pieces.push(item);
    else for (const piece of item) pieces.push(piece);
  }
  return pieces;
}
