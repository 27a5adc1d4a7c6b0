import type { DrainName, SourceId } from "./ids.ts";
import type { QueueSample } from "./queue-series.ts";

/** What people can be told of. A target of `notify` gets all of these unless it chooses. */
export const noticeEvents = [
  "backlog.began",
  "backlog.ended",
  "destination.halted",
  "destination.resumed",
  "failure.new",
  "parked.new",
  "expiring.soon",
] as const;
export type NoticeEvent = (typeof noticeEvents)[number];

/** With those that nobody chooses: `digest` is made by a target's cron, `test` by a person. */
export const noticeKinds = [...noticeEvents, "digest", "test"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** One thing that a notice is about. Has nothing of a message but the signature of a failure's answer. */
export interface NoticeItem {
  /** Null: records that no drain selects. */
  readonly drain: DrainName | null;
  /** As lanes name it; null: the whole drain. */
  readonly destination: string | null;
  /** Status and signature of the failure that most of these have; null: none is known. */
  readonly cause: string | null;
  readonly failure: string | null;
  /** Dead letters that this is about: waiting, arrived, parked, expiring or published. */
  readonly count: number;
  readonly figures?: Readonly<Record<string, number>>;
}

export interface Notice {
  /** The same in every replica and at every try. Begins with the time, so that ids sort by age. */
  readonly id: string;
  readonly event: NoticeKind;
  readonly at: number;
  readonly source: SourceId;
  /** By importance, at most `maxNoticeItems`. */
  readonly items: readonly NoticeItem[];
  readonly more: number;
}

export const maxNoticeItems = 20;

export interface AddressedNotice {
  readonly target: string;
  readonly notice: Notice;
}

export type DigestBase = Pick<QueueSample, "published" | "failedAgain"> & { readonly at: number };

/**
 * What people were told of one source, and what is still to be sent; shared by all replicas. Guarantees: one
 * script per call, and of two changes from one version exactly one happens. Fails with `redis-unavailable`.
 */
export interface NoticeBook<Memory> {
  /**
   * As of one moment. `pending`: targets that notices wait for. `digests`: targets with a base. `waiting`: for this
   * target, the oldest first. Memory null: before the first.
   */
  read(): Promise<{
    readonly version: number;
    readonly memory: Memory | null;
    readonly pending: readonly string[];
    readonly digests: readonly string[];
    readonly waiting: (target: string) => readonly Notice[];
  }>;
  /** Replaces the memory and adds notices, unless the version has changed. Beyond 1,000, notices are left out. */
  replace(
    version: number,
    memory: Memory,
    notices: readonly AddressedNotice[],
  ): Promise<{ readonly kind: "changed" } | { readonly kind: "replaced"; readonly leftOut: number }>;
  remove(target: string, ids: readonly string[]): Promise<void>;
  digestBase(target: string): Promise<DigestBase | null>;
  /** Sets the base, and adds its digest if there is one, unless the base is no longer `before`. */
  replaceDigestBase(
    target: string,
    before: DigestBase | null,
    base: DigestBase,
    digest: Notice | null,
  ): Promise<boolean>;
}

/** What a target was told of the incident in hand. Times are Unix ms. */
export interface Incident {
  readonly messages: number;
  /** Something of it went on as the last message was sent. */
  readonly goesOn: boolean;
  readonly nextAt: number;
  /** What comes later is another incident. */
  readonly until: number;
  readonly worse: readonly NoticeKind[];
}

/** The incident in hand of each target, and who sends to it; shared by all replicas. */
export interface IncidentBook {
  /** For this process, so that no other sends meanwhile. Answers 0, or for how long another has it. */
  hold(target: string, forMs: number): Promise<number>;
  letGo(target: string): Promise<void>;
  read(target: string): Promise<Incident | null>;
  write(target: string, incident: Incident): Promise<void>;
}

export interface NoticeAnswer {
  readonly status: number;
  /** The first bytes of its body as text, without control characters. */
  readonly body: string;
  /** Unix ms before which it wants no other; null: it did not say. */
  readonly retryAt: number | null;
  /** ` through the proxy …`, for messages: the answer may be the proxy's. Empty without one. */
  readonly through: string;
}

/**
 * Sends one message with these notices to a target. Fails with `notice-undelivered` if there was no answer, or
 * if the target must not be called.
 */
export type SendNotices = (notices: readonly Notice[], signal: AbortSignal) => Promise<NoticeAnswer>;
