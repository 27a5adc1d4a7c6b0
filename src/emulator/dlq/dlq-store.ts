import type { DeadLetter } from "./dead-letter.ts";
import type { Facets, Filter } from "./dlq-query.ts";
import { facetsOf } from "./facets.ts";
import { comparePositions, formatDlqId, parseDlqId, type Position } from "./position.ts";
import { Slabs, sliceBytes, type Slice } from "./slabs.ts";

interface Stored {
  readonly facets: Facets;
  readonly json: Slice;
}

/** A removed record keeps its place, without its content, until the next compaction. */
interface Entry extends Position {
  content: Stored | undefined;
}

export interface Selection {
  readonly after: Position | undefined;
  readonly count: number;
  readonly fromDate: number | undefined;
  readonly toDate: number | undefined;
  readonly filters: readonly Filter[];
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

/** Dead letters in the order of their ids. A range of time is found by bisection, never by looking at all. */
export class DlqStore {
  readonly #options: StoreOptions;
  readonly #slabs = new Slabs();
  #entries: Entry[] = [];
  #removed = 0;
  #last: Position = { ms: 0, seq: 0 };

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.length - this.#removed;
  }

  /** An id for a record that enters now. Ids only grow, also when the clock does not. */
  nextPosition(now: number): Position {
    const last = this.#last;
    this.#last = now > last.ms ? { ms: now, seq: 0 } : { ms: last.ms, seq: last.seq + 1 };
    return this.#last;
  }

  append(position: Position, record: DeadLetter): void {
    this.#entries.push(this.#toEntry(position, record));
  }

  /** Puts records at given positions; a record that stood there before is replaced. */
  insert(records: readonly (Position & { readonly record: DeadLetter })[]): void {
    const added = new Map(records.map((given) => [formatDlqId(given), this.#toEntry(given, given.record)]));
    const kept = this.#entries.filter(
      (entry) => entry.content !== undefined && !added.has(formatDlqId(entry)),
    );
    this.#entries = [...kept, ...added.values()].toSorted(comparePositions);
    this.#removed = 0;
    const newest = this.#entries.at(-1);
    if (newest !== undefined && comparePositions(newest, this.#last) > 0) this.#last = newest;
  }

  find(dlqId: string): Found | undefined {
    const entry = this.#entryOf(dlqId);
    return entry?.content && toFound(entry, entry.content);
  }

  page(selection: Selection): Page {
    const { after, count, fromDate, toDate, filters } = selection;
    const forward = this.#options.order === "earliestFirst";
    let low = 0;
    let high = this.#entries.length;
    let byDate: Filter | undefined;
    if (this.#options.dateFilter === "created") byDate = createdBetween(fromDate, toDate);
    else {
      if (fromDate !== undefined) low = this.#indexOf({ ms: fromDate, seq: 0 });
      if (toDate !== undefined) high = this.#indexOf({ ms: toDate + 1, seq: 0 });
    }
    if (after !== undefined && forward)
      low = Math.max(low, this.#indexOf({ ms: after.ms, seq: after.seq + 1 }));
    if (after !== undefined && !forward) high = Math.min(high, this.#indexOf(after));

    const found: Found[] = [];
    for (let step = 0; step < high - low; step++) {
      const entry = this.#entries[forward ? low + step : high - 1 - step]!;
      const { content } = entry;
      if (content === undefined || byDate?.(content.facets) === false) continue;
      if (!filters.every((holds) => holds(content.facets))) continue;
      if (found.length === count) return { found, more: true };
      found.push(toFound(entry, content));
    }
    return { found, more: false };
  }

  /** Removes what is there of the given; returns the ids that were. */
  remove(dlqIds: readonly string[]): string[] {
    const removed = dlqIds.filter((dlqId) => {
      const entry = this.#entryOf(dlqId);
      if (entry?.content === undefined) return false;
      entry.content = undefined;
      this.#removed++;
      return true;
    });
    this.#compact();
    return removed;
  }

  /** Removes what entered before `ms`; returns the ids. */
  removeBefore(ms: number): string[] {
    const end = this.#indexOf({ ms, seq: 0 });
    if (end === 0) return [];
    const old = this.#entries.slice(0, end).filter((entry) => entry.content !== undefined);
    this.#entries = this.#entries.slice(end);
    this.#removed -= end - old.length;
    return old.map((entry) => formatDlqId(entry));
  }

  clear(): void {
    this.#entries = [];
    this.#removed = 0;
  }

  #toEntry({ ms, seq }: Position, record: DeadLetter): Entry {
    return {
      ms,
      seq,
      content: { facets: facetsOf(record), json: this.#slabs.store(JSON.stringify(record)) },
    };
  }

  #entryOf(dlqId: string): Entry | undefined {
    const position = parseDlqId(dlqId);
    if (position === undefined) return undefined;
    const entry = this.#entries[this.#indexOf(position)];
    return entry !== undefined && comparePositions(entry, position) === 0 ? entry : undefined;
  }

  /** Index of the first entry at or after a position. */
  #indexOf(position: Position): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(this.#entries[middle]!, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compact(): void {
    if (this.#removed < 1_024 || this.#removed * 2 < this.#entries.length) return;
    this.#entries = this.#entries.filter((entry) => entry.content !== undefined);
    this.#removed = 0;
  }
}

const toFound = ({ ms, seq }: Position, { json }: Stored): Found => ({ ms, seq, json: sliceBytes(json) });

const createdBetween =
  (from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): Filter =>
  ({ createdAt }) =>
    createdAt >= from && createdAt <= to;
