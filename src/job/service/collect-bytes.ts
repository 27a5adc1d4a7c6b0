import { spareBytes, type SpareBuffers } from "./spare-buffers.ts";

export type CollectedBytes = ReturnType<typeof collectBytes>;

const minGrowth = 65_536;

/** In a spare buffer, or in one of its length that grows by doubling: never twice in memory. */
export function collectBytes(expected: number, spare: SpareBuffers) {
  let borrowed = expected > spareBytes ? undefined : spare.take();
  let bytes = borrowed ?? Buffer.allocUnsafeSlow(Number.isSafeInteger(expected) ? expected : 0);
  let length = 0;
  const release = (): void => {
    if (borrowed !== undefined) spare.giveBack(borrowed);
    borrowed = undefined;
  };
  return {
    byteLength: () => length,
    add(chunk: Uint8Array): void {
      if (length + chunk.byteLength > bytes.byteLength) {
        const larger = Buffer.allocUnsafeSlow(Math.max(minGrowth, 2 * length, length + chunk.byteLength));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
        release();
      }
      bytes.set(chunk, length);
      length += chunk.byteLength;
    },
    /** They are gone after `release`. */
    all: (): Uint8Array => bytes.subarray(0, length),
    release,
  };
}
