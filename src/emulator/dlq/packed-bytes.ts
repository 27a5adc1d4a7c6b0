const chunkBytes = 1 << 18;

// What is larger has a chunk of its own, so that the unused end of a chunk stays small.
const maxShared = chunkBytes / 4;

/** Where a text lies. */
interface Slice {
  readonly chunk: number;
  readonly start: number;
  readonly length: number;
}

/**
 * Texts packed into large buffers outside the heap: a million small strings or buffers cost more than what
 * they hold. Nothing is overwritten or given back, so a view stays good; who wants space back copies what is
 * left elsewhere.
 */
export class PackedBytes {
  readonly #chunks: Buffer[] = [];
  #current = -1;
  #used = chunkBytes;

  /** What is allocated. */
  get bytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  add(bytes: Buffer): Slice {
    const { length } = bytes;
    if (length > maxShared) return this.#write(bytes, this.#open(length), 0);
    if (this.#used + length > chunkBytes) {
      this.#current = this.#open(chunkBytes);
      this.#used = 0;
    }
    this.#used += length;
    return this.#write(bytes, this.#current, this.#used - length);
  }

  /** A view, not a copy. */
  at({ chunk, start, length }: Slice): Buffer {
    return this.#chunks[chunk]!.subarray(start, start + length);
  }

  #open(bytes: number): number {
    return this.#chunks.push(Buffer.allocUnsafeSlow(bytes)) - 1;
  }

  #write(bytes: Buffer, chunk: number, start: number): Slice {
    bytes.copy(this.#chunks[chunk]!, start);
    return { chunk, start, length: bytes.length };
  }
}
