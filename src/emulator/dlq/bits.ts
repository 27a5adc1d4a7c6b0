/** Bits by number, in words of 32. */
export type Bits = Uint32Array;

export const bitsFor = (count: number): Bits => new Uint32Array((count + 31) >>> 5);

export function setBit(bits: Bits, at: number): void {
  bits[at >>> 5]! |= 1 << (at & 31);
}

export function clearBit(bits: Bits, at: number): void {
  bits[at >>> 5]! &= ~(1 << (at & 31));
}

export const hasBit = (bits: Bits, at: number): boolean => ((bits[at >>> 5]! >>> (at & 31)) & 1) === 1;

/** Clears every bit that the other has not; returns whether any is left. */
export function keepCommon(bits: Bits, other: Bits): boolean {
  let left = 0;
  for (let word = 0; word < bits.length; word++) left |= bits[word]! &= other[word]!;
  return left !== 0;
}

/** The first bit set in [from, to); -1 if there is none. */
export function firstBit(bits: Bits, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const rest = bits[at >>> 5]! >>> (at & 31);
    if ((rest & 1) === 1) return at;
    // The rest of a word without bits is passed over.
    if (rest === 0) at |= 31;
  }
  return -1;
}

/** The last bit set in [from, to); -1 if there is none. */
export function lastBit(bits: Bits, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) {
    const rest = bits[at >>> 5]! << (31 - (at & 31));
    if (rest < 0) return at;
    if (rest === 0) at &= ~31;
  }
  return -1;
}
