import type { EmulatorSettings } from "../options.ts";
import type { DlqQuery } from "./dlq-query.ts";
import { createdAtOf, filterFields, valuesOf, type Filter } from "./filters.ts";
import { comparePositions, formatDlqId, parseDlqId, positionBehind, type Position } from "./position.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";

/** A stored record as JSON bytes, ready to be sent. */
export interface StoredRecord extends Position {
  readonly json: Buffer;
}

interface Entry extends StoredRecord {
  readonly createdAt: number;
  /** In the order of `filterFields`. Only several values of one field are a list: most have one, and a list costs memory. */
  readonly values: readonly (string | readonly string[] | undefined)[];
}

export type StoreOptions = Pick<EmulatorSettings, "dateFilter" | "order">;

/** A row of a block; behind the last block when there is none. */
interface Place {
  readonly at: number;
  readonly row: number;
}

// An entry put into or taken out of the middle moves those behind it in its block, and no others.
const maxRows = 4_096;

/** Dead letters in the order of their ids, in blocks that are never empty. Bisection finds a place; filters look at every entry. */
export class DlqStore {
  readonly #options: StoreOptions;
  #blocks: Entry[][] = [];
  #size = 0;
  #last: Position = { ms: 0, seq: 0 };

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
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
    const before = row > 0 ? this.#blocks[at]?.[row - 1] : this.#blocks[at - 1]?.at(-1);
    if (before?.ms !== ms) return { ms, seq: 0 };
    const behind = positionBehind(before);
    return behind.ms === ms ? behind : this.freePosition(behind.ms);
  }

  /** Puts a record at a position; one that stood there before is replaced. */
  append({ ms, seq }: Position, record: StoredDeadLetter): void {
    const text = JSON.stringify(record);
    // Bytes of its own, outside the heap: a share of a pool would be held for as long as its neighbours are.
    const json = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    json.write(text);
    const values = filterFields.map((field) => {
      const all = valuesOf(record, field);
      return all.length > 1 ? all : all[0];
    });
    const entry = { ms, seq, json, createdAt: createdAtOf(record), values };
    const present = this.#livingPlaceOf(entry);
    if (present !== undefined) {
      this.#blocks[present.at]![present.row] = entry;
      return;
    }
    const { block, row } = this.#roomFor(entry);
    block.splice(row, 0, entry);
    this.#size++;
    if (comparePositions(entry, this.#last) > 0) this.#last = { ms, seq };
  }

  insert(records: readonly (Position & { readonly record: StoredDeadLetter })[]): void {
    for (const given of records) this.append(given, given.record);
  }

  find(dlqId: string): StoredRecord | undefined {
    const place = this.#livingPlaceOf(parseDlqId(dlqId));
    return place && this.#blocks[place.at]![place.row];
  }

  page(query: DlqQuery): { readonly records: readonly StoredRecord[]; readonly more: boolean } {
    if (query.dlqIds !== undefined) return { records: this.#byIds(query.dlqIds), more: false };
    const fits = this.#testOf(query);
    const records: StoredRecord[] = [];
    let toSkip = query.skip ?? 0;
    for (const entry of this.#inRange(query)) {
      if (!fits(entry)) continue;
      if (toSkip > 0) toSkip--;
      else if (records.length === query.count) return { records, more: true };
      else records.push(entry);
    }
    return { records, more: false };
  }

  /** Removes what is there of the given; returns the ids that were. */
  remove(dlqIds: readonly string[]): string[] {
    return dlqIds.filter((dlqId) => {
      const place = this.#livingPlaceOf(parseDlqId(dlqId));
      if (place === undefined) return false;
      const block = this.#blocks[place.at]!;
      block.splice(place.row, 1);
      if (block.length === 0) this.#blocks.splice(place.at, 1);
      this.#size--;
      return true;
    });
  }

  /** Removes what entered before `ms`; returns the ids. */
  removeBefore(ms: number): string[] {
    const { at, row } = this.#placeOf({ ms, seq: 0 });
    const gone = [...this.#blocks.slice(0, at).flat(), ...(this.#blocks[at]?.slice(0, row) ?? [])];
    this.#blocks.splice(0, at);
    this.#blocks[0]?.splice(0, row);
    this.#size -= gone.length;
    return gone.map((entry) => formatDlqId(entry));
  }

  clear(): void {
    this.#blocks = [];
    this.#size = 0;
  }

  /** A block with room where the position belongs. Behind all others a new block begins; a full one is split. */
  #roomFor(position: Position): { readonly block: Entry[]; readonly row: number } {
    const { at, row } = this.#placeOf(position);
    const isBehindAll = at === this.#blocks.length;
    const block = this.#blocks[isBehindAll ? at - 1 : at];
    if (block !== undefined && block.length < maxRows)
      return { block, row: isBehindAll ? block.length : row };
    if (block === undefined || isBehindAll) this.#blocks.push([]);
    else this.#blocks.splice(at + 1, 0, block.splice(maxRows / 2));
    return isBehindAll ? { block: this.#blocks.at(-1)!, row: 0 } : this.#roomFor(position);
  }

  #byIds(dlqIds: readonly string[]): StoredRecord[] {
    const found = [...new Set(dlqIds)].flatMap((dlqId) => this.find(dlqId) ?? []);
    const sign = this.#options.order === "earliestFirst" ? 1 : -1;
    return found.toSorted((a, b) => sign * comparePositions(a, b));
  }

  /** Whether an entry matches all filters, and the dates if they mean creation. */
  #testOf({ filters, fromDate = -Infinity, toDate = Infinity }: DlqQuery): (entry: Entry) => boolean {
    const byCreation = this.#options.dateFilter === "created";
    const wanted = filters.map(({ field, values }: Filter) => ({
      index: filterFields.indexOf(field),
      values,
    }));
    return (entry) =>
      (!byCreation || (entry.createdAt >= fromDate && entry.createdAt <= toDate)) &&
      wanted.every(({ index, values }) => {
        const own = entry.values[index];
        if (typeof own === "string") return values.has(own);
        return own?.some((value) => values.has(value)) === true;
      });
  }

  /** The entries that a query can find by cursor and moment of entry, in the order of the listing. */
  *#inRange({ after, fromDate, toDate }: DlqQuery): Generator<Entry> {
    const forward = this.#options.order === "earliestFirst";
    const byEntry = this.#options.dateFilter === "entered";
    const from: Position[] = [{ ms: Number.NEGATIVE_INFINITY, seq: 0 }];
    const to: Position[] = [{ ms: Number.POSITIVE_INFINITY, seq: 0 }];
    if (byEntry && fromDate !== undefined) from.push({ ms: fromDate, seq: 0 });
    if (byEntry && toDate !== undefined) to.push({ ms: toDate + 1, seq: 0 });
    if (after !== undefined && forward) from.push({ ms: after.ms, seq: after.seq + 1 });
    if (after !== undefined && !forward) to.push(after);
    const low = this.#placeOf(from.toSorted(comparePositions).at(-1)!);
    const high = this.#placeOf(to.toSorted(comparePositions)[0]!);
    for (let step = 0; step <= high.at - low.at; step++) {
      const at = forward ? low.at + step : high.at - step;
      const block = this.#blocks[at] ?? [];
      const first = at === low.at ? low.row : 0;
      const end = at === high.at ? high.row : block.length;
      for (let row = first; row < end; row++) yield block[forward ? row : first + end - 1 - row]!;
    }
  }

  /** First place at or after a position. */
  #placeOf(position: Position): Place {
    const at = firstAtOrAfter(this.#blocks, (block) => block.at(-1)!, position);
    return { at, row: firstAtOrAfter(this.#blocks[at] ?? [], (entry) => entry, position) };
  }

  #livingPlaceOf(position: Position | undefined): Place | undefined {
    if (position === undefined) return undefined;
    const place = this.#placeOf(position);
    const entry = this.#blocks[place.at]?.[place.row];
    return entry !== undefined && comparePositions(entry, position) === 0 ? place : undefined;
  }
}

/** By bisection. */
function firstAtOrAfter<T>(
  sorted: readonly T[],
  positionOf: (one: T) => Position,
  position: Position,
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions(positionOf(sorted[middle]!), position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
