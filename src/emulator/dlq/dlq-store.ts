import { Block, blockRows } from "./block.ts";
import { nextBit, previousBit } from "./bits.ts";
import type { DeadLetter } from "./dead-letter.ts";
import type { Filter } from "./dlq-query.ts";
import { KnownValues } from "./known-values.ts";
import { comparePositions, formatDlqId, parseDlqId, positionBehind, type Position } from "./position.ts";
import { satisfies, toScan, type Scan } from "./scan.ts";
import { Slabs } from "./slabs.ts";

export interface Selection {
  readonly after: Position | undefined;
  /** So many that match are passed over first. */
  readonly skip?: number | undefined;
  readonly count: number;
  readonly fromDate: number | undefined;
  readonly toDate: number | undefined;
  readonly filters: readonly Filter[];
  /** With ids given, nothing else counts. */
  readonly dlqIds?: readonly string[] | undefined;
}

/** A stored record as JSON bytes, ready to be sent. */
export interface Found extends Position {
  readonly json: Buffer;
}

export interface Page {
  readonly found: readonly Found[];
  readonly more: boolean;
}

export interface StoreOptions {
  readonly dateFilter: "entered" | "created";
  readonly order: "earliestFirst" | "latestFirst";
}

/** A row of a block; behind the last block when there is none. */
interface Place {
  readonly at: number;
  readonly row: number;
}

/**
 * Dead letters in the order of their ids: JSON bytes in slabs, everything that is looked for in blocks of columns.
 * A place is found by bisection; filters go over bitmaps and hashes, and what their hashes do not
 * prove is checked against the record itself.
 */
export class DlqStore {
  readonly #options: StoreOptions;
  #slabs = new Slabs();
  #known = new KnownValues();
  #blocks: Block[] = [];
  #size = 0;
  #last: Position = { ms: 0, seq: 0 };

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** Memory held for records, outside the heap. */
  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.bytes, this.#slabs.bytes);
  }

  /** An id for a record that enters now. Ids only grow, also when the clock does not. */
  nextPosition(now: number): Position {
    const last = this.#last;
    this.#last = now > last.ms ? { ms: now, seq: 0 } : positionBehind(last);
    return this.#last;
  }

  /** An id for a record that entered at some time past: one that no record has, behind all of that millisecond. */
  freePosition(ms: number): Position {
    if (ms >= this.#last.ms) return this.nextPosition(ms);
    const { at, row } = this.#placeOf({ ms: ms + 1, seq: 0 });
    const before = row > 0 ? this.#blocks[at] : this.#blocks[at - 1];
    if (before === undefined) return { ms, seq: 0 };
    const last = row > 0 ? row - 1 : before.rows - 1;
    if (before.ms[last] !== ms) return { ms, seq: 0 };
    const behind = positionBehind({ ms, seq: before.seq[last]! });
    return behind.ms === ms ? behind : this.freePosition(behind.ms);
  }

  append(position: Position, record: DeadLetter): void {
    this.#put(position, record);
  }

  /** Puts records at given positions; a record that stood there before is replaced. */
  insert(records: readonly (Position & { readonly record: DeadLetter })[]): void {
    for (const given of records) this.#put(given, given.record);
    this.#moveFromSparseSlabs();
  }

  find(dlqId: string): Found | undefined {
    const place = this.#livingPlaceOf(parseDlqId(dlqId));
    return place && this.#found(this.#blocks[place.at]!, place.row);
  }

  page(selection: Selection): Page {
    if (selection.dlqIds !== undefined) return { found: this.#byIds(selection.dlqIds), more: false };
    const forward = this.#options.order === "earliestFirst";
    const { low, high } = this.#range(selection, forward);
    const scan = this.#toScan(selection);
    const unproven = scan?.unproven ?? [];
    const found: Found[] = [];
    let toSkip = selection.skip ?? 0;
    const last = Math.min(high.at, this.#blocks.length - 1);
    for (let step = 0; step <= last - low.at; step++) {
      const at = forward ? low.at + step : last - step;
      const block = this.#blocks[at]!;
      const from = at === low.at ? low.row : 0;
      const to = at === high.at ? high.row : block.rows;
      if (from >= to || block.live === 0) continue;
      const rows = block.search(scan, from, to);
      if (rows === undefined) continue;
      const next = (row: number): number => (forward ? nextBit(rows, row + 1) : previousBit(rows, row - 1));
      for (let row = next(forward ? from - 1 : to); row !== -1; row = next(row)) {
        const match = this.#found(block, row);
        if (unproven.length > 0 && !satisfies(recordOf(match), unproven)) continue;
        if (toSkip > 0) {
          toSkip--;
          continue;
        }
        if (found.length === selection.count) return { found, more: true };
        found.push(match);
      }
    }
    return { found, more: false };
  }

  /** Removes what is there of the given; returns the ids that were. */
  remove(dlqIds: readonly string[]): string[] {
    const touched = new Set<Block>();
    const removed = dlqIds.filter((dlqId) => {
      const place = this.#livingPlaceOf(parseDlqId(dlqId));
      if (place === undefined) return false;
      const block = this.#blocks[place.at]!;
      this.#kill(block, place.row);
      touched.add(block);
      return true;
    });
    for (const block of touched) this.#tidy(block);
    this.#moveFromSparseSlabs();
    return removed;
  }

  /** Removes what entered before `ms`; returns the ids. */
  removeBefore(ms: number): string[] {
    const end = this.#placeOf({ ms, seq: 0 });
    if (end.at === 0 && end.row === 0) return [];
    const removed: string[] = [];
    for (let at = 0; at <= Math.min(end.at, this.#blocks.length - 1); at++) {
      const block = this.#blocks[at]!;
      const to = at === end.at ? end.row : block.rows;
      for (let row = 0; row < to; row++) {
        if (!block.isAlive(row)) continue;
        removed.push(formatDlqId({ ms: block.ms[row]!, seq: block.seq[row]! }));
        this.#kill(block, row);
      }
    }
    this.#blocks.splice(0, end.at);
    if (end.row > 0) this.#tidy(this.#blocks[0]!);
    this.#moveFromSparseSlabs();
    return removed;
  }

  clear(): void {
    this.#blocks = [];
    this.#slabs = new Slabs();
    this.#known = new KnownValues();
    this.#size = 0;
  }

  #put(position: Position, record: DeadLetter): void {
    const present = this.#livingPlaceOf(position);
    if (present !== undefined) this.#kill(this.#blocks[present.at]!, present.row);
    const { block, at } = this.#roomFor(position);
    block.insert(at, position, this.#slabs.store(JSON.stringify(record)), record, this.#known);
    this.#size++;
    if (comparePositions(position, this.#last) > 0) this.#last = { ms: position.ms, seq: position.seq };
  }

  /** A block with room where the position belongs. Behind all others a new block begins; a full one is split. */
  #roomFor(position: Position): { block: Block; at: number } {
    let { at, row } = this.#placeOf(position);
    if (at === this.#blocks.length && at > 0) {
      at--;
      row = this.#blocks[at]!.rows;
    }
    const block = this.#blocks[at];
    if (block === undefined || (row === blockRows && at === this.#blocks.length - 1)) {
      const fresh = new Block();
      this.#blocks.push(fresh);
      return { block: fresh, at: 0 };
    }
    if (block.rows === blockRows && block.live < blockRows) {
      block.squeeze();
      row = block.rowOf(position);
    }
    if (block.rows < blockRows) return { block, at: row };
    const upper = block.split();
    this.#blocks.splice(at + 1, 0, upper);
    return row <= block.rows ? { block, at: row } : { block: upper, at: row - block.rows };
  }

  #kill(block: Block, row: number): void {
    this.#slabs.release(block.slice(row));
    block.kill(row);
    this.#size--;
  }

  /** Drops a block that is empty, squeezes one that is half empty, and joins it to its neighbours if they fit well. */
  #tidy(block: Block): void {
    const at = this.#blocks.indexOf(block);
    if (at === -1) return;
    if (block.live === 0) this.#blocks.splice(at, 1);
    else if (block.live * 2 < block.rows) {
      block.squeeze();
      this.#join(at);
      this.#join(at - 1);
    }
  }

  #join(at: number): void {
    const block = this.#blocks[at];
    const next = this.#blocks[at + 1];
    // Not up to the brim: a full block is split by the next insertion.
    if (block === undefined || next === undefined || block.rows + next.rows > blockRows * 0.75) return;
    block.join(next);
    this.#blocks.splice(at + 1, 1);
  }

  #moveFromSparseSlabs(): void {
    const flags = this.#slabs.sparse();
    if (flags === undefined) return;
    for (const block of this.#blocks) {
      block.inSlabs(flags, (row) => block.setSlice(row, this.#slabs.move(block.slice(row))));
    }
  }

  #byIds(dlqIds: readonly string[]): Found[] {
    const found = [...new Set(dlqIds)].flatMap((dlqId) => this.find(dlqId) ?? []);
    const sign = this.#options.order === "earliestFirst" ? 1 : -1;
    return found.toSorted((a, b) => sign * comparePositions(a, b));
  }

  #toScan({ filters, fromDate, toDate }: Selection): Scan | undefined {
    const byCreation =
      this.#options.dateFilter === "created" && (fromDate !== undefined || toDate !== undefined)
        ? { low: fromDate ?? Number.NEGATIVE_INFINITY, high: toDate ?? Number.POSITIVE_INFINITY }
        : undefined;
    return filters.length === 0 && byCreation === undefined
      ? undefined
      : toScan(filters, byCreation, this.#known);
  }

  /** From where to where (not included) a selection can have records. */
  #range({ after, fromDate, toDate }: Selection, forward: boolean): { low: Place; high: Place } {
    const byEntry = this.#options.dateFilter === "entered";
    const from: Position[] = [{ ms: Number.NEGATIVE_INFINITY, seq: 0 }];
    const to: Position[] = [{ ms: Number.POSITIVE_INFINITY, seq: 0 }];
    if (byEntry && fromDate !== undefined) from.push({ ms: fromDate, seq: 0 });
    if (byEntry && toDate !== undefined) to.push({ ms: toDate + 1, seq: 0 });
    if (after !== undefined && forward) from.push({ ms: after.ms, seq: after.seq + 1 });
    if (after !== undefined && !forward) to.push(after);
    const low = from.toSorted(comparePositions).at(-1)!;
    const high = to.toSorted(comparePositions)[0]!;
    const lowPlace = this.#placeOf(low);
    return comparePositions(low, high) > 0
      ? { low: lowPlace, high: lowPlace }
      : { low: lowPlace, high: this.#placeOf(high) };
  }

  #found(block: Block, row: number): Found {
    return { ms: block.ms[row]!, seq: block.seq[row]!, json: this.#slabs.bytesOf(block.slice(row)) };
  }

  /** First place at or after a position. */
  #placeOf(position: Position): Place {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { ms, seq, rows } = this.#blocks[middle]!;
      if (comparePositions({ ms: ms[rows - 1]!, seq: seq[rows - 1]! }, position) < 0) low = middle + 1;
      else high = middle;
    }
    return { at: low, row: this.#blocks[low]?.rowOf(position) ?? 0 };
  }

  /** Removed rows may stand at the same position; the living one stands before them. */
  #livingPlaceOf(position: Position | undefined): Place | undefined {
    if (position === undefined) return undefined;
    const place = this.#placeOf(position);
    const block = this.#blocks[place.at];
    const { row } = place;
    if (block === undefined || block.ms[row] !== position.ms || block.seq[row] !== position.seq)
      return undefined;
    return block.isAlive(row) ? place : undefined;
  }
}

const recordOf = ({ json }: Found): DeadLetter => JSON.parse(json.toString("utf8")) as DeadLetter;
