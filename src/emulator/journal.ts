import type { EmulatorClock } from "./clock.ts";
import {
  EntryCounts,
  type Counts,
  type EntryOf,
  type Happening,
  type HappeningType,
  type JournalEntry,
} from "./journal-entries.ts";

export { happeningTypes, operations } from "./journal-entries.ts";
export type {
  Counts,
  EntryOf,
  Happening,
  HappeningType,
  JournalEntry,
  Operation,
} from "./journal-entries.ts";

/** Everything that happened since the start or the last reset, in its order. */
export class Journal {
  readonly #clock: EmulatorClock;
  readonly #limit: number;
  #entries: JournalEntry[] = [];
  #seq = 0;
  /** Entries up to this number were dropped on purpose. */
  #clearedAt = 0;
  #counts = new EntryCounts();
  readonly #watchers = new Set<(entry: JournalEntry) => void>();

  constructor(clock: EmulatorClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  add(happening: Happening): void {
    const entry: JournalEntry = { ...happening, seq: ++this.#seq, at: this.#clock.now() };
    this.#entries.push(entry);
    // Trimmed by halves: each entry is moved once on average.
    if (this.#entries.length > 2 * this.#limit) this.#entries = this.#entries.slice(this.#firstKept());
    this.#counts.add(entry);
    for (const watcher of this.#watchers) watcher(entry);
  }

  /** Number of the newest entry there has been, kept or not; it only grows, also over `clear`. */
  get lastSeq(): number {
    return this.#seq;
  }

  /** How many entries above `after` are not kept any more. */
  forgottenAfter(after: number): number {
    const oldest = this.#entries[this.#firstKept()]?.seq ?? this.#seq + 1;
    return Math.max(0, oldest - 1 - Math.max(after, this.#clearedAt));
  }

  /** Entries of one type, or all, oldest first, with `seq` above `after`. */
  entries(): readonly JournalEntry[];
  entries<T extends HappeningType>(type: T, after?: number): EntryOf<T>[];
  entries(type?: HappeningType, after = 0): readonly JournalEntry[] {
    return [...this.since(after)].filter((entry) => type === undefined || entry.type === type);
  }

  /** The kept entries with `seq` above `after`, oldest first. What comes before is not looked at. */
  *since(after: number): Generator<JournalEntry> {
    const first = this.#firstKept();
    const oldest = this.#entries[first]?.seq ?? 0;
    // Numbers have no gaps, so the place of one follows from that of the first.
    for (let index = first + Math.max(0, after + 1 - oldest); index < this.#entries.length; index++) {
      yield this.#entries[index]!;
    }
  }

  counts(): Counts {
    return structuredClone(this.#counts.counts);
  }

  /** The first entry, past or future, that matches. Rejects when `signal` aborts. */
  waitFor(matches: (entry: JournalEntry) => boolean, signal?: AbortSignal): Promise<JournalEntry> {
    for (const past of this.since(0)) if (matches(past)) return Promise.resolve(past);
    return this.waitForNext(matches, signal);
  }

  /** The first entry from now on that matches. Rejects when `signal` aborts. */
  waitForNext(matches: (entry: JournalEntry) => boolean, signal?: AbortSignal): Promise<JournalEntry> {
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    return new Promise((resolve, reject) => {
      const watcher = (entry: JournalEntry): void => {
        try {
          if (!matches(entry)) return;
          resolve(entry);
        } catch (error) {
          // Whoever asks learns of it, not what is being written down.
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        this.#watchers.delete(watcher);
      };
      this.#watchers.add(watcher);
      signal?.addEventListener("abort", () => {
        this.#watchers.delete(watcher);
        reject(reasonOf(signal));
      });
    });
  }

  clear(): void {
    this.#entries = [];
    this.#clearedAt = this.#seq;
    this.#counts = new EntryCounts();
  }

  #firstKept(): number {
    return Math.max(0, this.#entries.length - this.#limit);
  }
}

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error("aborted");
