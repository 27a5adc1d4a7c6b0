import { bitsFor, clearBit, firstBit, hasBit, keepCommon, setBit, type Bits } from "./bits.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";
import { FilterColumn } from "./filter-column.ts";
import { createdAtOf, filterFields, valuesOf, type FilterField, type KeyedFilter } from "./filters.ts";
import { PackedBytes } from "./packed-bytes.ts";
import type { Position } from "./position.ts";

export const blockRows = 4_096;

// One for all blocks: a million records are 245 of them, and a search goes through all.
const found = bitsFor(blockRows);

/** Both ends are inside. */
export interface CreatedRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Up to 4,096 records in the order of their positions: their JSON as bytes outside the heap, and what is
 * looked for as columns of numbers. A removed row stays, not alive, and keeps its bytes until the block is
 * copied (`blockOf`).
 */
export class RecordBlock {
  readonly ms = new Float64Array(blockRows);
  readonly seq = new Uint32Array(blockRows);
  rows = 0;
  live = 0;
  readonly #alive = bitsFor(blockRows);
  readonly #createdAt = new Float64Array(blockRows);
  readonly #chunk = new Uint32Array(blockRows);
  readonly #start = new Uint32Array(blockRows);
  readonly #length = new Uint32Array(blockRows);
  readonly #numbers = [this.ms, this.seq, this.#createdAt, this.#chunk, this.#start, this.#length];
  readonly #json = new PackedBytes();
  readonly #fields = Object.fromEntries(
    filterFields.map((field) => [field, new FilterColumn(blockRows)]),
  ) as Readonly<Record<FilterField, FilterColumn>>;

  /** Memory held outside the heap. */
  get bytes(): number {
    return this.#numbers.reduce((sum, column) => sum + column.byteLength, this.#json.bytes);
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

  /** A view of the record's JSON, which stays good whatever becomes of the record. */
  json(row: number): Buffer {
    const [chunk, start, length] = [this.#chunk[row]!, this.#start[row]!, this.#length[row]!];
    return this.#json.at({ chunk, start, length });
  }

  /** Puts a record before a row. The block must not be full. */
  insert(row: number, position: Position, record: StoredDeadLetter): void {
    if (row < this.rows) this.#makeRoom(row);
    this.#put(row, position, createdAtOf(record), Buffer.from(JSON.stringify(record)));
    for (const field of filterFields) this.#fields[field].put(row, valuesOf(record, field));
  }

  kill(row: number): void {
    clearBit(this.#alive, row);
    this.live--;
  }

  /**
   * Living rows that match all filters and were created in the range; undefined if there are none. The answer
   * is good until the next search.
   */
  search(filters: readonly KeyedFilter[], created: CreatedRange | undefined): Bits | undefined {
    found.set(this.#alive);
    for (const filter of filters) {
      const rows = this.#fields[filter.field].rowsOf(filter);
      if (rows === undefined || !keepCommon(found, rows)) return undefined;
    }
    if (created === undefined) return found;
    for (let row = firstBit(found, 0, this.rows); row !== -1; row = firstBit(found, row + 1, this.rows)) {
      if (this.#createdAt[row]! < created.from || this.#createdAt[row]! > created.to) clearBit(found, row);
    }
    return found;
  }

  /** Adds the living rows of [from, to) of another block behind its own. They must fit. */
  take(other: RecordBlock, from: number, to: number): void {
    for (let row = firstBit(other.#alive, from, to); row !== -1; row = firstBit(other.#alive, row + 1, to)) {
      const position = { ms: other.ms[row]!, seq: other.seq[row]! };
      for (const field of filterFields)
        this.#fields[field].put(this.rows, other.#fields[field].valuesOf(row));
      this.#put(this.rows, position, other.#createdAt[row]!, other.json(row));
    }
  }

  #put(row: number, { ms, seq }: Position, createdAt: number, json: Buffer): void {
    const { chunk, start, length } = this.#json.add(json);
    this.ms[row] = ms;
    this.seq[row] = seq;
    this.#createdAt[row] = createdAt;
    this.#chunk[row] = chunk;
    this.#start[row] = start;
    this.#length[row] = length;
    setBit(this.#alive, row);
    this.rows++;
    this.live++;
  }

  #makeRoom(row: number): void {
    for (const column of this.#numbers) column.copyWithin(row + 1, row, this.rows);
    for (const field of filterFields) this.#fields[field].shift(row);
    for (let at = this.rows; at > row; at--) {
      if (hasBit(this.#alive, at - 1)) setBit(this.#alive, at);
      else clearBit(this.#alive, at);
    }
  }
}

/** A block of its own with the living rows of some, each from a row up to another. They must fit. */
export function blockOf(
  ...parts: readonly (readonly [RecordBlock, from: number, to: number])[]
): RecordBlock {
  const block = new RecordBlock();
  for (const [other, from, to] of parts) block.take(other, from, to);
  return block;
}
