/** A page of 100 records of 2.5 KB, even if each of its characters takes three bytes. */
export const spareBytes = 786_432;
/** More are in use at once, but not for long. Together 12 MiB, of which only what was used takes memory. */
const maxSpare = 16;

export type SpareBuffers = ReturnType<typeof createSpareBuffers>;

/**
 * Buffers that the bodies of calls use one after the other. A new buffer costs more than the bytes that are
 * copied into it: its pages have to be mapped, and V8 has to collect it.
 */
export function createSpareBuffers() {
  const spare: Buffer[] = [];
  return {
    take: (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(spareBytes),
    giveBack(buffer: Buffer): void {
      if (spare.length < maxSpare) spare.push(buffer);
    },
  };
}
