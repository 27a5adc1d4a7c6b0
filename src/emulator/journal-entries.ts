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
  paused: { readonly queueName: string };
  resumed: { readonly queueName: string };
  seeded: { readonly records: number };
  /** Something was changed over the control API. */
  control: { readonly method: string; readonly path: string; readonly status: number };
  fault: { readonly name: string; readonly kind: string; readonly operation: Operation };
}

export type HappeningType = keyof Happenings;
export type Happening = { [T in HappeningType]: { readonly type: T } & Happenings[T] }[HappeningType];
export type JournalEntry = Happening & { readonly seq: number; readonly at: number };
export type EntryOf<T extends HappeningType> = Extract<JournalEntry, { type: T }>;

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
  seeded: () => undefined,
  control: () => undefined,
  fault: ({ faults }, { name }) => countIn(faults, name),
};

function countIn(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

export const happeningTypes: readonly string[] = Object.keys(countOf);

/** Counters that go along with the entries. */
export class EntryCounts {
  readonly counts = structuredClone(noCounts);

  add<T extends HappeningType>(entry: EntryOf<T>): void {
    countOf[entry.type](this.counts, entry);
  }
}
