/**
 * The body of POST /v2/batch as a stream that asks before its last byte. JSON without its last byte cannot be
 * accepted, so a batch that is late, or was stopped, is withheld by keeping that one byte back (ledger.md,
 * "The last byte").
 *
 *   nothing ─► part ─► all        how much may have left this process
 *                └──► withheld    the last byte was not allowed; `all` is never reached
 */
export type Sent = "nothing" | "part" | "all";

export interface BatchBody {
  readonly byteLength: number;
  /** How much was handed over. It is raised before the bytes are, so it never reports less than what left. */
  sent(): Sent;
  /** Ends the body here: no further bytes are yielded. */
  stop(): void;
  /**
   * The bytes, once. A second reading fails, so that no library can send a batch again. `flushed` resolves
   * when all earlier bytes have left this process. Without it, the last one could wait behind them until long
   * after it was allowed.
   */
  bytes(flushed: () => Promise<void>, onWithheld: () => void): AsyncIterable<Uint8Array>;
}

// One write each; small enough to follow the peer's pace, large enough to be cheap.
const chunkChars = 65_536;
const lastByte = "]";

export function createBatchBody(encodedItems: readonly string[], lastByteAllowed: () => boolean): BatchBody {
  let sent: Sent = "nothing";
  let state: "fresh" | "read" | "stopped" = "fresh";
  return {
    byteLength: byteLengthOf(encodedItems),
    sent: () => sent,
    stop: () => {
      state = "stopped";
    },
    async *bytes(flushed, onWithheld) {
      if (state !== "fresh") throw new Error("the body of a batch can be read only once");
      state = "read";
      const isStopped = (): boolean => state === "stopped";
      for (const chunk of toChunks(encodedItems)) {
        if (isStopped()) throw new Error("the batch was stopped");
        sent = "part";
        yield Buffer.from(chunk);
      }
      await flushed();
      if (!isStopped() && !isAllowed(lastByteAllowed)) {
        onWithheld();
        throw new Error("the last byte of the batch was withheld");
      }
      if (isStopped()) throw new Error("the batch was stopped");
      sent = "all";
      yield Buffer.from(lastByte);
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

// "[" and "]", a comma between items, and the items.
function byteLengthOf(encodedItems: readonly string[]): number {
  return encodedItems.reduce((sum, item) => sum + Buffer.byteLength(item), 2 + encodedItems.length - 1);
}

function* toChunks(encodedItems: readonly string[]): Generator<string> {
  let chunk = "[";
  for (const [index, item] of encodedItems.entries()) {
    if (index > 0) chunk += ",";
    // A large item is never copied whole.
    for (let from = 0; from < item.length;) {
      const to = toPieceEnd(item, from + chunkChars - chunk.length);
      chunk += item.slice(from, to);
      from = to;
      if (chunk.length < chunkChars) continue;
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}

/** The two surrogates of a character beyond U+FFFF stay together. */
function toPieceEnd(text: string, to: number): number {
  const code = text.charCodeAt(to - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? to + 1 : to;
}
