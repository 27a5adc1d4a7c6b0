import { bitsFor, setBit, type Bits } from "./bits.ts";

/** The hashes of the labels in one block, as pairs of row and hash in no order: most rows have none or one. */
export class LabelPool {
  #rows = new Uint16Array(0);
  #hashes = new Int32Array(0);
  #size = 0;

  get bytes(): number {
    return this.#rows.byteLength + this.#hashes.byteLength;
  }

  add(row: number, hash: number): void {
    if (this.#size === this.#rows.length) this.#grow(Math.max(64, this.#size * 2));
    this.#rows[this.#size] = row;
    this.#hashes[this.#size] = hash;
    this.#size++;
  }

  /** Makes room for a row: those from there on are one further. */
  shift(from: number): void {
    for (let at = 0; at < this.#size; at++) if (this.#rows[at]! >= from) this.#rows[at]!++;
  }

  /** Takes over another block's labels; `toRow` says where each row went, undefined where it is gone. */
  take(other: LabelPool, toRow: (row: number) => number | undefined): void {
    other.each((from, hash) => {
      const row = toRow(from);
      if (row !== undefined) this.add(row, hash);
    });
  }

  each(visit: (row: number, hash: number) => void): void {
    for (let at = 0; at < this.#size; at++) visit(this.#rows[at]!, this.#hashes[at]!);
  }

  /** The rows, of so many, that have a label with one of these hashes. */
  rowsWith(hashes: ReadonlySet<number>, rows: number): Bits {
    const bits = bitsFor(rows);
    for (let at = 0; at < this.#size; at++) {
      if (hashes.has(this.#hashes[at]!)) setBit(bits, this.#rows[at]!);
    }
    return bits;
  }

  #grow(capacity: number): void {
    const rows = new Uint16Array(capacity);
    const hashes = new Int32Array(capacity);
    rows.set(this.#rows);
    hashes.set(this.#hashes);
    this.#rows = rows;
    this.#hashes = hashes;
  }
}
