import { firstBit, lastBit } from "./bits.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { keyed } from "./filters.ts";
import { comparePositions, formatDlqId, parseDlqId, positionBehind, type Position } from "./position.ts";
import { blockOf, blockRows, RecordBlock, type CreatedRange } from "./record-block.ts";

/** A stored record as JSON bytes, ready to be sent. */
export interface StoredRecord extends Position {
  readonly json: Buffer;
}

interface StoredPage {
  readonly records: readonly StoredRecord[];
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

/** Dead letters in the order of their ids. Bisection finds a place; filters go over all blocks. */
export class DlqStore {
  readonly #options: StoreOptions;
  #blocks: RecordBlock[] = [];
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
    return this.#blocks.reduce((sum, block) => sum + block.bytes, 0);
  }

  /** An id for a record that enters now. Ids only grow, also when the clock does not. */
  nextPosition(now: number): Position {
    const last = this.#last;
    this.#last = now > last.ms ? { ms: now, seq: 0 } : positionBehind(last);
    return this.#last;
  }

  /** A free id for a record that entered in the past, behind all of that millisecond. */
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

  /** Puts a record at a position; one that stood there before is replaced. */
  append(position: Position, record: StoredDeadLetter): void {
    const present = this.#livingPlaceOf(position);
    if (present !== undefined) this.#kill(this.#blocks[present.at]!, present.row);
    const { block, row } = this.#roomFor(position);
    block.insert(row, position, record);
    this.#size++;
    if (comparePositions(position, this.#last) > 0) this.#last = { ms: position.ms, seq: position.seq };
  }

  insert(records: readonly (Position & { readonly record: StoredDeadLetter })[]): void {
    for (const given of records) this.append(given, given.record);
  }

  find(dlqId: string): StoredRecord | undefined {
    const place = this.#livingPlaceOf(parseDlqId(dlqId));
    return place && storedAt(this.#blocks[place.at]!, place.row);
  }

  page(query: DlqQuery): StoredPage {
    if (query.dlqIds !== undefined) return { records: this.#byIds(query.dlqIds), more: false };
    const forward = this.#options.order === "earliestFirst";
    const { low, high } = this.#range(query, forward);
    const created = this.#createdRange(query);
    const filters = query.filters.map(keyed);
    const records: StoredRecord[] = [];
    let toSkip = query.skip ?? 0;
    const last = Math.min(high.at, this.#blocks.length - 1);
    for (let step = 0; step <= last - low.at; step++) {
      const at = forward ? low.at + step : last - step;
      const block = this.#blocks[at]!;
      const found = block.search(filters, created);
      if (found === undefined) continue;
      let from = at === low.at ? low.row : 0;
      let to = at === high.at ? high.row : block.rows;
      for (;;) {
        const row = forward ? firstBit(found, from, to) : lastBit(found, from, to);
        if (row === -1) break;
        if (forward) from = row + 1;
        else to = row;
        if (toSkip > 0) toSkip--;
        else if (records.length === query.count) return { records, more: true };
        else records.push(storedAt(block, row));
      }
    }
    return { records, more: false };
  }

  /** Removes what is there of the given; returns the ids that were. */
  remove(dlqIds: readonly string[]): string[] {
    const touched = new Set<RecordBlock>();
    const removed = dlqIds.filter((dlqId) => {
      const place = this.#livingPlaceOf(parseDlqId(dlqId));
      if (place === undefined) return false;
      const block = this.#blocks[place.at]!;
      this.#kill(block, place.row);
      touched.add(block);
      return true;
    });
    for (const block of touched) this.#tidy(block);
    return removed;
  }

  /** Removes what entered before `ms`; returns the ids. */
  removeBefore(ms: number): string[] {
    const end = this.#placeOf({ ms, seq: 0 });
    if (end.at === 0 && end.row === 0) return [];
    const dlqIds: string[] = [];
    for (const [at, block] of this.#blocks.slice(0, end.at + 1).entries()) {
      const to = at === end.at ? end.row : block.rows;
      for (let row = 0; row < to; row++) {
        if (block.isAlive(row)) dlqIds.push(formatDlqId({ ms: block.ms[row]!, seq: block.seq[row]! }));
      }
    }
    return this.remove(dlqIds);
  }

  clear(): void {
    this.#blocks = [];
    this.#size = 0;
  }

  /**
   * A block with room where the position belongs. Behind all others a new block begins; a full one is split.
   */
  #roomFor(position: Position): { block: RecordBlock; row: number } {
    const { at } = this.#placeOf(position);
    const isBehindAll = at === this.#blocks.length;
    const block = isBehindAll ? this.#blocks[at - 1] : this.#blocks[at];
    if (block !== undefined && block.rows < blockRows) return { block, row: block.rowOf(position) };
    if (block === undefined || isBehindAll) this.#blocks.push(new RecordBlock());
    else if (block.live < blockRows) this.#copy(at, 1);
    else {
      const middle = blockRows / 2;
      this.#blocks.splice(at, 1, blockOf([block, 0, middle]), blockOf([block, middle, blockRows]));
    }
    return this.#roomFor(position);
  }

  #kill(block: RecordBlock, row: number): void {
    block.kill(row);
    this.#size--;
  }

  /** Drops an empty block, copies a half empty one, and joins it to its neighbours if they fit well. */
  #tidy(block: RecordBlock): void {
    const at = this.#blocks.indexOf(block);
    if (at === -1) return;
    if (block.live === 0) this.#blocks.splice(at, 1);
    else if (block.live * 2 < block.rows) {
      this.#copy(at, 1);
      this.#join(at);
      this.#join(at - 1);
    }
  }

  #join(at: number): void {
    const block = this.#blocks[at];
    const next = this.#blocks[at + 1];
    // Not up to the brim: a full block is split by the next insertion.
    if (block !== undefined && next !== undefined && block.live + next.live <= blockRows * 0.75)
      this.#copy(at, 2);
  }

  /** One block with the living rows takes the place of some: it holds nothing of what was removed. */
  #copy(at: number, count: number): void {
    const parts = this.#blocks.slice(at, at + count).map((block) => [block, 0, block.rows] as const);
    this.#blocks.splice(at, count, blockOf(...parts));
  }

  #byIds(dlqIds: readonly string[]): StoredRecord[] {
    const found = [...new Set(dlqIds)].flatMap((dlqId) => this.find(dlqId) ?? []);
    const sign = this.#options.order === "earliestFirst" ? 1 : -1;
    return found.toSorted((a, b) => sign * comparePositions(a, b));
  }

  #createdRange({ fromDate, toDate }: DlqQuery): CreatedRange | undefined {
    if (this.#options.dateFilter === "entered" || (fromDate ?? toDate) === undefined) return undefined;
    return { from: fromDate ?? Number.NEGATIVE_INFINITY, to: toDate ?? Number.POSITIVE_INFINITY };
  }

  /** From where to where (not included) a query can find records. */
  #range({ after, fromDate, toDate }: DlqQuery, forward: boolean): { low: Place; high: Place } {
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

const storedAt = (block: RecordBlock, row: number): StoredRecord => ({
  ms: block.ms[row]!,
  seq: block.seq[row]!,
  json: block.json(row),
});
