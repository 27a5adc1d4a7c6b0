const slabBytes = 1 << 20;

export interface Slice {
  readonly slab: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Texts packed into large buffers outside the heap: a million small strings or buffers cost more than what they hold.
 * A slab is freed when the last slice of it is forgotten; records go in about the order they came, so that it happens.
 */
export class Slabs {
  #slab = Buffer.alloc(0);
  #used = 0;

  store(text: string): Slice {
    const bytes = Buffer.byteLength(text);
    if (bytes > slabBytes) return { slab: Buffer.from(text), start: 0, end: bytes };
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#slab.write(text, start);
    return { slab: this.#slab, start, end: this.#used };
  }
}

export const sliceBytes = ({ slab, start, end }: Slice): Buffer => slab.subarray(start, end);
