import { and, bitsFor, clearBit, clip, hasBit, nextBit, setBit, type Bits } from "./bits.ts";
import type { DeadLetter } from "./dead-letter.ts";
import { FacetIndex } from "./facet-index.ts";
import { createdAtOf, facetOf, facets, hashOf, labelsOf, singleFacets, type Facet } from "./facets.ts";
import type { KnownValues } from "./known-values.ts";
import { LabelPool } from "./label-pool.ts";
import type { Position } from "./position.ts";
import type { Scan } from "./scan.ts";
import type { Slice } from "./slabs.ts";

export const blockRows = 4_096;

type Column = Float64Array | Uint32Array | Int32Array;
type Indexes = Readonly<Record<Facet, FacetIndex>>;

/**
 * Up to 4,096 records in the order of their positions, as columns of numbers: 64 bytes a record beside its JSON, and
 * bitmaps of where each value occurs. A removed row stays, not alive, until the block is squeezed.
 */
export class Block {
  readonly ms = new Float64Array(blockRows);
  readonly seq = new Uint32Array(blockRows);
  rows = 0;
  live = 0;
  #alive = bitsFor(blockRows);
  readonly #createdAt = new Float64Array(blockRows);
  readonly #slab = new Uint32Array(blockRows);
  readonly #start = new Uint32Array(blockRows);
  readonly #length = new Uint32Array(blockRows);
  readonly #hashes = byFacet(singleFacets, () => new Int32Array(blockRows));
  readonly #columns: readonly Column[] = [
    this.ms,
    this.seq,
    this.#createdAt,
    this.#slab,
    this.#start,
    this.#length,
    ...Object.values(this.#hashes),
  ];
  #labels = new LabelPool();
  /** Kept while rows are added at the end; made anew by the next search after anything else. */
  #indexes: Indexes | undefined = noIndexes();

  get bytes(): number {
    const indexed = Object.values(this.#indexes ?? {}).reduce((sum, index) => sum + index.bytes, 0);
    return this.#columns.reduce((sum, column) => sum + column.byteLength, this.#labels.bytes + indexed);
  }

  /** First row at or after a position; `rows` if there is none. */
  rowOf({ ms, seq }: Position): number {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ms[middle]! < ms || (this.ms[middle] === ms && this.seq[middle]! < seq)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isAlive(row: number): boolean {
    return hasBit(this.#alive, row);
  }

  slice(row: number): Slice {
    return { slab: this.#slab[row]!, start: this.#start[row]!, length: this.#length[row]! };
  }

  setSlice(row: number, { slab, start, length }: Slice): void {
    this.#slab[row] = slab;
    this.#start[row] = start;
    this.#length[row] = length;
  }

  /** Puts a record before a row. The block must not be full. */
  insert(row: number, position: Position, json: Slice, record: DeadLetter, known: KnownValues): void {
    if (row < this.rows) this.#makeRoom(row);
    this.rows++;
    this.live++;
    this.ms[row] = position.ms;
    this.seq[row] = position.seq;
    this.#createdAt[row] = createdAtOf(record);
    this.setSlice(row, json);
    setBit(this.#alive, row);
    const add = (facet: Facet, value: string): number => {
      const hash = hashOf(value);
      if (facet !== "messageId") known.add(facet, hash, value);
      this.#indexes?.[facet].add(row, hash);
      return hash;
    };
    for (const facet of singleFacets) {
      const value = facetOf(record, facet);
      this.#hashes[facet][row] = value === undefined ? 0 : add(facet, value);
    }
    for (const label of labelsOf(record)) this.#labels.add(row, add("label", label));
  }

  /** What the row's JSON occupies is the caller's to release. */
  kill(row: number): void {
    clearBit(this.#alive, row);
    this.live--;
  }

  /** Calls back for every living row whose slab is flagged. */
  inSlabs(flags: Uint8Array, visit: (row: number) => void): void {
    for (let row = 0; row < this.rows; row++) {
      if (flags[this.#slab[row]!] === 1 && this.isAlive(row)) visit(row);
    }
  }

  /**
   * Living rows of [from, to). With a scan, those of them whose hashes match: all that do match, and hardly another.
   * Undefined if there are none; the answer is good until the next search.
   */
  search(scan: Scan | undefined, from: number, to: number): Bits | undefined {
    const bits = found;
    bits.set(this.#alive);
    if (from > 0 || to < this.rows) clip(bits, from, to);
    if (scan === undefined) return bits;
    const unknown: Scan["wanted"][number][] = [];
    for (const wanted of scan.wanted) {
      const selected = this.#index()[wanted.facet].select(wanted.hashes, selection);
      if (selected === "none") return undefined;
      if (selected === "unknown") unknown.push(wanted);
      else if (!and(bits, selected)) return undefined;
    }
    for (const { facet, hashes } of unknown) {
      if (facet === "label") and(bits, this.#labels.rowsWith(hashes, blockRows));
      else keepHashes(bits, this.#hashes[facet], hashes);
    }
    if (scan.created !== undefined) keepRange(bits, this.#createdAt, scan.created);
    return bits;
  }

  /** Forgets removed rows. */
  squeeze(): void {
    const kept: number[] = [];
    for (let row = nextBit(this.#alive, 0); row !== -1; row = nextBit(this.#alive, row + 1)) kept.push(row);
    for (const column of this.#columns) for (const [to, from] of kept.entries()) column[to] = column[from]!;
    const moved = new Map(kept.map((from, to) => [from, to]));
    this.#relabel((row) => moved.get(row));
    this.#setRows(kept.length);
    this.#alive = ones(kept.length);
  }

  /** The upper half as a block of its own. To be squeezed before. */
  split(): Block {
    const upper = new Block();
    const middle = this.rows >>> 1;
    for (const [at, column] of upper.#columns.entries()) column.set(this.#columns[at]!.subarray(middle));
    upper.#labels.take(this.#labels, (row) => (row < middle ? undefined : row - middle));
    this.#relabel((row) => (row < middle ? row : undefined));
    for (const [half, rows] of [
      [upper, this.rows - middle],
      [this, middle],
    ] as const) {
      half.#setRows(rows);
      half.#alive = ones(rows);
    }
    return upper;
  }

  /** Takes over the rows of the block behind this one. Both must fit. */
  join(next: Block): void {
    const { rows } = this;
    for (const [at, column] of this.#columns.entries())
      column.set(next.#columns[at]!.subarray(0, next.rows), rows);
    for (let row = nextBit(next.#alive, 0); row !== -1; row = nextBit(next.#alive, row + 1)) {
      setBit(this.#alive, rows + row);
    }
    this.#labels.take(next.#labels, (row) => row + rows);
    this.rows += next.rows;
    this.live += next.live;
    this.#indexes = undefined;
  }

  #makeRoom(row: number): void {
    for (const column of this.#columns) column.copyWithin(row + 1, row, this.rows);
    for (let at = this.rows; at > row; at--) {
      if (hasBit(this.#alive, at - 1)) setBit(this.#alive, at);
      else clearBit(this.#alive, at);
    }
    this.#labels.shift(row);
    this.#indexes = undefined;
  }

  #relabel(toRow: (row: number) => number | undefined): void {
    const labels = new LabelPool();
    labels.take(this.#labels, toRow);
    this.#labels = labels;
  }

  #setRows(rows: number): void {
    this.rows = rows;
    this.live = rows;
    this.#indexes = undefined;
  }

  #index(): Indexes {
    if (this.#indexes !== undefined) return this.#indexes;
    const indexes = noIndexes();
    for (const facet of singleFacets) {
      const hashes = this.#hashes[facet];
      for (let row = 0; row < this.rows; row++) if (hashes[row] !== 0) indexes[facet].add(row, hashes[row]!);
    }
    this.#labels.each((row, hash) => indexes.label.add(row, hash));
    return (this.#indexes = indexes);
  }
}

// One of each for all blocks: a million records are 245 of them, and each search goes through all.
const found = bitsFor(blockRows);
const selection = bitsFor(blockRows);

const noIndexes = (): Indexes => byFacet(facets, () => new FacetIndex(blockRows));

const byFacet = <F extends Facet, T>(names: readonly F[], make: () => T): Readonly<Record<F, T>> =>
  Object.fromEntries(names.map((name) => [name, make()])) as Record<F, T>;

function ones(count: number): Bits {
  const bits = bitsFor(blockRows).fill(0xffff_ffff);
  clip(bits, 0, count);
  return bits;
}

function keepHashes(bits: Bits, column: Int32Array, hashes: ReadonlySet<number>): void {
  const [only = 0] = hashes.size === 1 ? hashes : [];
  for (let word = 0; word < bits.length; word++) {
    if (bits[word] === 0) continue;
    let matching = 0;
    for (let bit = 0; bit < 32; bit++) {
      const hash = column[word * 32 + bit]!;
      if (only === 0 ? hashes.has(hash) : hash === only) matching |= 1 << bit;
    }
    bits[word]! &= matching;
  }
}

function keepRange(bits: Bits, column: Float64Array, range: NonNullable<Scan["created"]>): void {
  const { low, high } = range;
  for (let word = 0; word < bits.length; word++) {
    if (bits[word] === 0) continue;
    let matching = 0;
    for (let bit = 0; bit < 32; bit++) {
      const value = column[word * 32 + bit]!;
      if (value >= low && value <= high) matching |= 1 << bit;
    }
    bits[word]! &= matching;
  }
}
