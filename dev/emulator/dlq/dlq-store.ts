import { bisect } from "../bisect.ts";
import { filterFields, recordValues, type DlqQuery, type Filter } from "./dlq-query.ts";
import {
  comparePositions,
  formatDlqId,
  parseDlqId,
  positionBehind,
  type Position,
} from "./dlq-ids-and-cursors.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";

/** A stored record as JSON bytes, ready to be sent. */
export interface StoredRecord extends Position {
  readonly json: Buffer;
}

interface Entry extends StoredRecord {
  readonly createdAt: number;
  /** In the order of `filterFields`. Only several labels are a list: a list for each value costs memory. */
  readonly values: readonly (string | readonly string[] | undefined)[];
}

interface Block {
  /** In the order of their positions. */
  readonly entries: Entry[];
  /** What was found by filters since the block last changed: each page of a listing asks for the same. */
  readonly found: Map<string, readonly Entry[]>;
}

export interface StoreOptions {
  readonly dateFilter: "entered" | "created";
  readonly order: "earliestFirst" | "latestFirst";
}

// An entry put into or taken out of the middle moves those behind it in its block, and no others.
const maxRows = 4_096;

// With 1,000,000 records and all of them in each answer these are 128 MB.
const maxAnswers = 16;

/** Dead letters in the order of their ids, in blocks that are never empty. Bisection finds a place. */
export class DlqStore {
  readonly #options: StoreOptions;
  readonly #blocks: Block[] = [];
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
    const behind = { ms: ms + 1, seq: 0 };
    const at = this.#blockAt(behind);
    const entries = this.#blocks[at]?.entries ?? [];
    const before = entries[firstAtOrAfter(entries, behind) - 1] ?? this.#blocks[at - 1]?.entries.at(-1);
    if (before?.ms !== ms) return { ms, seq: 0 };
    const free = positionBehind(before);
    return free.ms === ms ? free : this.freePosition(free.ms);
  }

  /** Puts a record at a position; one that stood there before is replaced. `text`: its JSON as it is listed. */
  append({ ms, seq }: Position, record: StoredDeadLetter, text = JSON.stringify(record)): void {
    // Bytes of its own, outside the heap: a share of a pool would be held for as long as its neighbours are.
    const json = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    json.write(text);
    const values = filterFields.map((field) => {
      const all = recordValues(record, field);
      return all.length > 1 ? all : all[0];
    });
    const createdAt = typeof record["createdAt"] === "number" ? record["createdAt"] : 0;
    const entry = { ms, seq, json, createdAt, values };
    if (this.#entryAt(entry) !== undefined) this.#takeOut(entry);
    const { entries, found } = this.#roomFor(entry);
    entries.splice(firstAtOrAfter(entries, entry), 0, entry);
    found.clear();
    this.#size++;
    if (comparePositions(entry, this.#last) > 0) this.#last = { ms, seq };
  }

  find(dlqId: string): StoredRecord | undefined {
    return this.#entryAt(parseDlqId(dlqId));
  }

  page(query: DlqQuery): { readonly records: readonly StoredRecord[]; readonly more: boolean } {
    if (query.dlqIds !== undefined) return { records: this.#byIds(query.dlqIds), more: false };
    const records: StoredRecord[] = [];
    let toSkip = query.skip ?? 0;
    for (const entry of this.#search(query)) {
      if (toSkip > 0) toSkip--;
      else if (records.length === query.count) return { records, more: true };
      else records.push(entry);
    }
    return { records, more: false };
  }

  /** Removes what is there of the given; returns the ids that were. */
  remove(dlqIds: readonly string[]): string[] {
    return dlqIds.filter((dlqId) => {
      const found = this.find(dlqId);
      if (found !== undefined) this.#takeOut(found);
      return found !== undefined;
    });
  }

  /** Removes what entered before `ms`; returns the ids. */
  removeBefore(ms: number): string[] {
    const end = { ms, seq: 0 };
    const gone = this.#blocks.splice(0, this.#blockAt(end)).flatMap(({ entries }) => entries);
    const first = this.#blocks[0];
    const rows = firstAtOrAfter(first?.entries ?? [], end);
    if (first !== undefined && rows > 0) {
      gone.push(...first.entries.splice(0, rows));
      first.found.clear();
    }
    this.#size -= gone.length;
    return gone.map((entry) => formatDlqId(entry));
  }

  #entryAt(position: Position | undefined): Entry | undefined {
    if (position === undefined) return undefined;
    const entries = this.#blocks[this.#blockAt(position)]?.entries ?? [];
    const entry = entries[firstAtOrAfter(entries, position)];
    return entry !== undefined && comparePositions(entry, position) === 0 ? entry : undefined;
  }

  /** Removes the entry that stands at a position. */
  #takeOut(position: Position): void {
    const at = this.#blockAt(position);
    const { entries, found } = this.#blocks[at]!;
    entries.splice(firstAtOrAfter(entries, position), 1);
    found.clear();
    if (entries.length === 0) this.#blocks.splice(at, 1);
    this.#size--;
  }

  /**
   * A block with room where the position belongs. A full one is split; behind all others a new one begins.
   */
  #roomFor(position: Position): Block {
    const at = this.#blockAt(position);
    const isBehindAll = at === this.#blocks.length;
    const block = this.#blocks[isBehindAll ? at - 1 : at];
    if (block !== undefined && block.entries.length < maxRows) return block;
    const half = isBehindAll ? [] : (block?.entries.splice(maxRows / 2) ?? []);
    this.#blocks.splice(at + 1, 0, { entries: half, found: new Map() });
    return isBehindAll ? this.#blocks.at(-1)! : this.#roomFor(position);
  }

  #byIds(dlqIds: readonly string[]): StoredRecord[] {
    const found = [...new Set(dlqIds)].flatMap((dlqId) => this.find(dlqId) ?? []);
    const sign = this.#options.order === "earliestFirst" ? 1 : -1;
    return found.toSorted((a, b) => sign * comparePositions(a, b));
  }

  *#search({ after, filters, fromDate = -Infinity, toDate = Infinity }: DlqQuery): Generator<Entry> {
    const forward = this.#options.order === "earliestFirst";
    const byEntry = this.#options.dateFilter === "entered";
    const low = [{ ms: byEntry ? fromDate : -Infinity, seq: 0 }];
    const high = [{ ms: byEntry ? toDate + 1 : Infinity, seq: 0 }];
    if (after !== undefined && forward) low.push({ ms: after.ms, seq: after.seq + 1 });
    if (after !== undefined && !forward) high.push(after);
    const from = low.toSorted(comparePositions).at(-1)!;
    const to = high.toSorted(comparePositions)[0]!;
    const blocks = this.#blocks.slice(this.#blockAt(from), this.#blockAt(to) + 1);
    for (const block of forward ? blocks : blocks.toReversed()) {
      const all = entriesWith(block, filters);
      const found = all.slice(firstAtOrAfter(all, from), firstAtOrAfter(all, to));
      for (const entry of forward ? found : found.toReversed()) {
        if (byEntry || (entry.createdAt >= fromDate && entry.createdAt <= toDate)) yield entry;
      }
    }
  }

  /** The block with the first entry at or after a position; behind the last if there is none. */
  #blockAt(position: Position): number {
    return bisect(this.#blocks, ({ entries }) => comparePositions(entries.at(-1)!, position) < 0);
  }
}

/** The record that was stored. */
export const recordIn = ({ json }: StoredRecord): StoredDeadLetter =>
  JSON.parse(json.toString("utf8")) as StoredDeadLetter;

function entriesWith({ entries, found }: Block, filters: readonly Filter[]): readonly Entry[] {
  if (filters.length === 0) return entries;
  const key = JSON.stringify(filters.map(({ field, values }) => [field, ...values]));
  const known = found.get(key);
  if (known !== undefined) return known;
  if (found.size === maxAnswers) found.clear();
  const wanted = filters.map(({ field, values }) => ({ index: filterFields.indexOf(field), values }));
  const matching = entries.filter((entry) =>
    wanted.every(({ index, values }) => {
      const own = entry.values[index];
      if (typeof own === "string") return values.has(own);
      return own !== undefined && own.some((value) => values.has(value));
    }),
  );
  found.set(key, matching);
  return matching;
}

const firstAtOrAfter = (entries: readonly Entry[], position: Position): number =>
  bisect(entries, (entry) => comparePositions(entry, position) < 0);
