import type { EmulatorClock } from "./clock.ts";

export type Operation = "batch" | "list" | "delete" | "statistics" | "manage";

/** Everything that happens, one entry each. Bodies and header values are never in it. */
export type Happening =
  | {
      readonly type: "request";
      readonly operation: Operation;
      readonly method: string;
      readonly path: string;
      readonly query: string;
      /** 0 when the connection was dropped instead of answered. */
      readonly status: number;
      readonly durationMs: number;
    }
  | {
      readonly type: "accepted";
      readonly messageId: string;
      readonly url: string;
      readonly bodySha256: string;
      readonly position: number;
      readonly deduplicationId?: string | undefined;
      readonly topicName?: string | undefined;
      readonly queueName?: string | undefined;
    }
  | {
      readonly type: "deduplicated";
      readonly deduplicationId: string;
      readonly messageId: string;
      readonly position: number;
    }
  | {
      readonly type: "delivery";
      readonly messageId: string;
      readonly url: string;
      readonly retried: number;
      /** 0 when there was no HTTP answer; then `error` says why. */
      readonly status: number;
      readonly outcome: "delivered" | "failed";
      readonly error?: string | undefined;
    }
  | {
      readonly type: "callback";
      readonly messageId: string;
      readonly url: string;
      readonly kind: "callback" | "failure-callback";
      readonly status: number;
      readonly outcome: "delivered" | "failed";
    }
  | {
      readonly type: "dead-lettered";
      readonly messageId: string;
      readonly dlqId: string;
      readonly url: string;
      readonly responseStatus: number;
    }
  | {
      readonly type: "deleted";
      readonly dlqIds: readonly string[];
      readonly by: "ids" | "filters" | "retention";
    }
  | { readonly type: "fault"; readonly name: string; readonly kind: string; readonly operation: Operation };

export type HappeningType = Happening["type"];
export type JournalEntry = Happening & { readonly seq: number; readonly at: number };
export type EntryOf<T extends HappeningType> = Extract<JournalEntry, { type: T }>;

/** Exact since the start or the last reset, however many entries were forgotten. */
export interface Counts {
  readonly requests: Record<string, number>;
  readonly accepted: number;
  readonly deduplicated: number;
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly callbacks: number;
  readonly deadLettered: number;
  readonly deleted: number;
  readonly expired: number;
  readonly faults: Record<string, number>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const noCounts = (): Mutable<Counts> => ({
  requests: {},
  accepted: 0,
  deduplicated: 0,
  delivered: 0,
  failedAttempts: 0,
  callbacks: 0,
  deadLettered: 0,
  deleted: 0,
  expired: 0,
  faults: {},
});

export class Journal {
  readonly #clock: EmulatorClock;
  readonly #limit: number;
  #entries: JournalEntry[] = [];
  #seq = 0;
  #counts = noCounts();
  readonly #watchers = new Set<(entry: JournalEntry) => void>();

  constructor(clock: EmulatorClock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  add(happening: Happening): void {
    const entry: JournalEntry = { ...happening, seq: ++this.#seq, at: this.#clock.now() };
    this.#entries.push(entry);
    // Trimmed by halves: each entry is moved once on average.
    if (this.#entries.length > 2 * this.#limit) this.#entries = this.#entries.slice(-this.#limit);
    this.#count(entry);
    for (const watcher of this.#watchers) watcher(entry);
  }

  /** Entries of one type, or all, oldest first, with `seq` above `after`. */
  entries(): readonly JournalEntry[];
  entries<T extends HappeningType>(type: T, after?: number): EntryOf<T>[];
  entries(type?: HappeningType, after = 0): readonly JournalEntry[] {
    const kept = this.#entries.slice(-this.#limit);
    if (type === undefined) return kept;
    return kept.filter((entry) => entry.type === type && entry.seq > after);
  }

  counts(): Counts {
    return structuredClone(this.#counts);
  }

  /** The first entry, past or future, for which `holds` is true. Rejects when `signal` aborts. */
  waitFor(holds: (entry: JournalEntry) => boolean, signal?: AbortSignal): Promise<JournalEntry> {
    const past = this.#entries.find((entry) => holds(entry));
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve, reject) => {
      const watcher = (entry: JournalEntry): void => {
        if (!holds(entry)) return;
        this.#watchers.delete(watcher);
        resolve(entry);
      };
      this.#watchers.add(watcher);
      signal?.addEventListener("abort", () => {
        this.#watchers.delete(watcher);
        reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      });
    });
  }

  clear(): void {
    this.#entries = [];
    this.#counts = noCounts();
  }

  #count(entry: JournalEntry): void {
    const counts = this.#counts;
    switch (entry.type) {
      case "request": {
        const key = `${entry.operation} ${entry.status}`;
        counts.requests[key] = (counts.requests[key] ?? 0) + 1;
        return;
      }
      case "accepted":
        counts.accepted++;
        return;
      case "deduplicated":
        counts.deduplicated++;
        return;
      case "delivery":
        if (entry.outcome === "delivered") counts.delivered++;
        else counts.failedAttempts++;
        return;
      case "callback":
        counts.callbacks++;
        return;
      case "dead-lettered":
        counts.deadLettered++;
        return;
      case "deleted":
        if (entry.by === "retention") counts.expired += entry.dlqIds.length;
        else counts.deleted += entry.dlqIds.length;
        return;
      case "fault":
        counts.faults[entry.name] = (counts.faults[entry.name] ?? 0) + 1;
        return;
    }
  }
}
