/** A page of 100 records of 2.5 KB, even if each of its characters takes three bytes. */
export const spareBytes = 786_432;
/** More are in use at once, but not for long. Together 12 MiB, of which only what was used takes memory. */
const maxSpare = 16;

export type SpareBuffers = ReturnType<typeof createSpareBuffers>;

/** Used one after the other. A new one costs more than the copied bytes: mapped pages, and V8's collector. */
export function createSpareBuffers() {
  const spare: Buffer[] = [];
  return {
    take: (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(spareBytes),
    giveBack(buffer: Buffer): void {
      if (spare.length < maxSpare) spare.push(buffer);
    },
  };
}
