const slabBytes = 1 << 20;

// What is larger has a buffer of its own, so that the unused end of a slab stays small.
const largestShared = slabBytes / 4;

// So many half empty slabs are worth one walk over all rows; fewer hold at most this many half slabs of waste.
const sparseSlabs = 8;

/** Where a text lies. */
export interface Slice {
  readonly slab: number;
  readonly start: number;
  readonly length: number;
}

interface Slab {
  readonly bytes: Buffer;
  /** Bytes of it that are still wanted. */
  live: number;
}

/**
 * Texts packed into large buffers outside the heap: a million small strings or buffers cost more than what they hold.
 * A slab is let go when nothing in it is wanted any more. What keeps a slab alive that is less than half wanted
 * should be moved (`move`), which its owner learns from `sparse`. Bytes once written are never overwritten, so a
 * view of them stays good.
 */
export class Slabs {
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #sparse = new Set<number>();
  #current = -1;
  #used = 0;
  #bytes = 0;

  /** What is held, wanted or not. */
  get bytes(): number {
    return this.#bytes;
  }

  store(text: string): Slice {
    const length = Buffer.byteLength(text);
    const slice = this.#reserve(length);
    this.#slabs[slice.slab]!.bytes.write(text, slice.start);
    return slice;
  }

  bytesOf({ slab, start, length }: Slice): Buffer {
    return this.#slabs[slab]!.bytes.subarray(start, start + length);
  }

  release({ slab, length }: Slice): void {
    this.#slabs[slab]!.live -= length;
    this.#judge(slab);
  }

  /** Slabs whose content should be moved, as a flag per slab; undefined while they are too few to matter. */
  sparse(): Uint8Array | undefined {
    if (this.#sparse.size < sparseSlabs) return undefined;
    const flags = new Uint8Array(this.#slabs.length);
    for (const slab of this.#sparse) flags[slab] = 1;
    return flags;
  }

  move(slice: Slice): Slice {
    const bytes = this.bytesOf(slice);
    const moved = this.#reserve(slice.length);
    bytes.copy(this.#slabs[moved.slab]!.bytes, moved.start);
    this.release(slice);
    return moved;
  }

  #reserve(length: number): Slice {
    if (length > largestShared) return { slab: this.#open(length, length), start: 0, length };
    const current = this.#slabs[this.#current];
    if (current === undefined || this.#used + length > current.bytes.length) {
      const full = this.#current;
      this.#current = this.#open(slabBytes, 0);
      this.#used = 0;
      if (full !== -1) this.#judge(full);
    }
    const start = this.#used;
    this.#used += length;
    this.#slabs[this.#current]!.live += length;
    return { slab: this.#current, start, length };
  }

  #open(bytes: number, live: number): number {
    const slab = this.#free.pop() ?? this.#slabs.length;
    this.#slabs[slab] = { bytes: Buffer.allocUnsafeSlow(bytes), live };
    this.#bytes += bytes;
    return slab;
  }

  /** The slab that is being filled is neither let go nor sparse. */
  #judge(slab: number): void {
    const { bytes, live } = this.#slabs[slab]!;
    if (slab === this.#current) return;
    if (live > 0) {
      if (live * 2 < bytes.length) this.#sparse.add(slab);
      return;
    }
    this.#slabs[slab] = undefined;
    this.#free.push(slab);
    this.#sparse.delete(slab);
    this.#bytes -= bytes.length;
  }
}
