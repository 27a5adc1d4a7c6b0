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

/** Clears every bit outside [from, to). */
export function clip(bits: Bits, from: number, to: number): void {
  const first = from >>> 5;
  const last = to >>> 5;
  bits.fill(0, 0, first);
  if (first < bits.length) bits[first]! &= -1 << (from & 31);
  if (last < bits.length) bits[last]! &= ~(-1 << (to & 31));
  bits.fill(0, last + 1);
}

/** Answers whether a bit is left. */
export function and(bits: Bits, other: Bits): boolean {
  let left = 0;
  for (let word = 0; word < bits.length; word++) left |= bits[word]! &= other[word]!;
  return left !== 0;
}

export function or(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]!;
}

/** The first bit set at or after `from`; -1 if there is none. */
export function nextBit(bits: Bits, from: number): number {
  let word = from >>> 5;
  if (word >= bits.length) return -1;
  let rest = bits[word]! & (-1 << (from & 31));
  while (rest === 0) {
    word++;
    if (word >= bits.length) return -1;
    rest = bits[word]!;
  }
  return word * 32 + 31 - Math.clz32(rest & -rest);
}

/** The last bit set at or before `from`; -1 if there is none. */
export function previousBit(bits: Bits, from: number): number {
  if (from < 0) return -1;
  let word = from >>> 5;
  let rest = bits[word]! & (-1 >>> (31 - (from & 31)));
  while (rest === 0) {
    word--;
    if (word < 0) return -1;
    rest = bits[word]!;
  }
  return word * 32 + 31 - Math.clz32(rest);
}
