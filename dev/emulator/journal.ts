import { EventEmitter, on } from "node:events";
import type { EmulatorClock } from "./clock.ts";

/** The kinds of requests, for faults, rate limits and counters. */
export const operations = ["batch", "publish", "list", "delete", "retry", "statistics", "manage"] as const;
export type Operation = (typeof operations)[number];

/** What there is to know of each type of entry. Bodies and header values are never in it. */
interface Happenings {
  request: {
    readonly operation: Operation;
    readonly method: string;
    readonly path: string;
    readonly query: string;
    /** 0 when the connection was dropped instead of answered. */
    readonly status: number;
    readonly durationMs: number;
  };
  accepted: {
    readonly messageId: string;
    readonly url: string;
    readonly bodySha256: string;
    readonly position: number;
    readonly deduplicationId?: string | undefined;
    readonly topicName?: string | undefined;
    readonly queueName?: string | undefined;
  };
  deduplicated: { readonly deduplicationId: string; readonly messageId: string; readonly position: number };
  delivery: {
    readonly messageId: string;
    readonly url: string;
    readonly retried: number;
    /** 0 when there was no HTTP answer; then `error` says why. */
    readonly status: number;
    readonly outcome: "delivered" | "failed";
    readonly error?: string | undefined;
  };
  callback: {
    /** Of the message that the callback reports. */
    readonly messageId: string;
    readonly callbackMessageId: string;
    readonly url: string;
    readonly kind: "callback" | "failure-callback";
    readonly retried: number;
    readonly status: number;
    readonly outcome: "delivered" | "failed";
  };
  "dead-lettered": {
    readonly messageId: string;
    readonly dlqId: string;
    readonly url: string;
    readonly responseStatus: number;
  };
  /** The emulator itself failed on a message, which ended with that: no attempt more, no dead letter. */
  lost: { readonly messageId: string; readonly url: string; readonly error: string };
  deleted: { readonly dlqIds: readonly string[]; readonly by: "ids" | "filters" | "retry" | "retention" };
  /** A dead letter went on its way again as a new message. */
  retried: { readonly dlqId: string; readonly messageId: string; readonly newMessageId: string };
  cancelled: { readonly messageId: string; readonly url: string };
  paused: Steered;
  resumed: Steered;
  /** A schedule fired; with an error, in vain. */
  scheduled: {
    readonly scheduleId: string;
    readonly messageIds: readonly string[];
    readonly error?: string;
  };
  seeded: { readonly records: number };
  /** Something was changed over the control API. */
  control: { readonly method: string; readonly path: string; readonly status: number };
  fault: { readonly name: string; readonly kind: string; readonly operation: Operation };
}

export type HappeningType = keyof Happenings;
type Happening = { [T in HappeningType]: { readonly type: T } & Happenings[T] }[HappeningType];
export type JournalEntry = Happening & { readonly seq: number; readonly at: number };
export type EntryOf<T extends HappeningType> = Extract<JournalEntry, { type: T }>;

/** One of the two. */
interface Steered {
  readonly queueName?: string;
  readonly flowControlKey?: string;
}

const noCounts = {
  requests: {} as Record<string, number>,
  accepted: 0,
  deduplicated: 0,
  delivered: 0,
  failedAttempts: 0,
  callbacks: 0,
  deadLettered: 0,
  lost: 0,
  deleted: 0,
  expired: 0,
  retried: 0,
  cancelled: 0,
  faults: {} as Record<string, number>,
};

/** Exact since the start or the last reset, however many entries were forgotten. */
export type Counts = Readonly<typeof noCounts>;

type Counting = { [T in HappeningType]: (counts: typeof noCounts, entry: EntryOf<T>) => void };

const countOf: Counting = {
  request: ({ requests }, { operation, status }) => countIn(requests, `${operation} ${status}`),
  accepted: (counts) => counts.accepted++,
  deduplicated: (counts) => counts.deduplicated++,
  delivery: (counts, { outcome }) => counts[outcome === "delivered" ? "delivered" : "failedAttempts"]++,
  callback: (counts) => counts.callbacks++,
  "dead-lettered": (counts) => counts.deadLettered++,
  lost: (counts) => counts.lost++,
  deleted: (counts, { by, dlqIds }) => {
    counts[by === "retention" ? "expired" : "deleted"] += dlqIds.length;
  },
  retried: (counts) => counts.retried++,
  cancelled: (counts) => counts.cancelled++,
  paused: () => undefined,
  resumed: () => undefined,
  scheduled: () => undefined,
  seeded: () => undefined,
  control: () => undefined,
  fault: ({ faults }, { name }) => countIn(faults, name),
};

function countIn(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export const happeningTypes: readonly string[] = Object.keys(countOf);

function count<T extends HappeningType>(counts: typeof noCounts, entry: EntryOf<T>): void {
  countOf[entry.type](counts, entry);
}

/** Everything that happened since the start or the last reset, in its order. */
export class Journal {
  readonly #clock: EmulatorClock;
  readonly #limit: number;
  #entries: JournalEntry[] = [];
  #seq = 0;
  /** Entries up to this number were dropped on purpose. */
  #clearedAt = 0;
  #counts = structuredClone(noCounts);
  readonly #added = new EventEmitter().setMaxListeners(0);

  constructor(clock: EmulatorClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  add(happening: Happening): void {
    const entry: JournalEntry = { ...happening, seq: ++this.#seq, at: this.#clock.now() };
    this.#entries.push(entry);
    // Trimmed by halves: each entry is moved once on average.
    if (this.#entries.length > 2 * this.#limit) this.#entries = this.#entries.slice(this.#firstKept());
    count(this.#counts, entry);
    this.#added.emit("entry", entry);
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
    return structuredClone(this.#counts);
  }

  /** The first entry, past or future, that matches. Rejects when `signal` aborts. */
  async waitFor(matches: (entry: JournalEntry) => boolean, signal?: AbortSignal): Promise<JournalEntry> {
    for (const past of this.since(0)) if (matches(past)) return past;
    // Whoever asks learns of an error in `matches`, not what is being written down.
    for await (const [entry] of on(this.#added, "entry", { signal }) as AsyncIterable<[JournalEntry]>) {
      if (matches(entry)) return entry;
    }
    throw new Error("a journal does not end");
  }

  clear(): void {
    this.#entries = [];
    this.#clearedAt = this.#seq;
    this.#counts = structuredClone(noCounts);
  }

  #firstKept(): number {
    return Math.max(0, this.#entries.length - this.#limit);
  }
}
