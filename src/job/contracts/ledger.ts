import type { ParkReason } from "../message/park-reasons.ts";
import type { DlqId, MessageId } from "../message/dead-letter.ts";
import type { DestinationName } from "../message/destination-names.ts";
import type { NewAuditEntry } from "./audit.ts";
import type { DrainName, Token } from "./ids.ts";
import type {
  LedgerView,
  OpenEntry,
  ParkedDeadLetter,
  PendingEntry,
  Released,
  Series,
} from "./ledger-entries.ts";
import type { LedgerLimits } from "./ledger-limits.ts";

/** Another epoch, or a lower sequence number than any live worker has seen, means lost writes. */
export interface LedgerStamp {
  readonly epoch: string;
  readonly sequence: number;
  /** Redis TIME, or ahead of it after the server's clock was set back. Unix ms, as all times here. */
  readonly at: number;
  /** `at`: when a loss was last detected. `since`: lost writes may record publications from then on. */
  readonly lost?: { readonly at: number; readonly since: number };
  /** When a refusal last ended a series, or a later one last began or could. Since then messages may have been published under later suffixes. */
  readonly seriesEndedAt?: number;
}

export interface BeginRequest {
  readonly dlqId: DlqId;
  readonly messageId: MessageId;
  /** Redrives made once this one is accepted: attempt before + 1. */
  readonly attempt: number;
  /** The id of its kind of failure: a come-back counts for it. Absent: not known. */
  readonly failure?: string;
  /** The id of the rule that sends it again (`RuleName`): its come-back counts for it. Absent: a drop. */
  readonly rule?: string;
}

export interface BeginOptions {
  readonly token: Token;
  readonly drain: DrainName;
  readonly act: "republish" | "drop";
  /**
   * By the service's own retry, which publishes a record and takes it out of the DLQ in one step. So it may be
   * repeated at any time, and what a page lists after takeover was not published by it.
   */
  readonly via?: "service";
  /** Redis time from before the page's GET. */
  readonly pageReadAt: number;
  /** Stamps of the looks that the requests rest on. If writes were lost since, nothing is begun: `page-too-old`. */
  readonly lookedUp?: readonly Pick<LedgerStamp, "epoch" | "sequence">[];
  /**
   * For the next POST of the same body by the same worker (retry or bisect): the token it holds, and the end
   * of the earlier POST. It needs no takeover wait. `not-sent` takes the earlier POST back out of `posts`.
   * `refused` with nothing else unanswered ends the series: the next POST takes the next suffix at once.
   * Otherwise firstAt and suffix stay. Page age and settle gate do not stop it, and a pause only what was
   * refused. It begins nothing that the token has lost (`in-flight`).
   */
  readonly previous?: {
    readonly token: Token;
    readonly outcome: "refused" | "unknown" | "not-sent";
  };
  /** Of an unknown outcome: it stays (`past-horizon`), or a new series begins, as a declared double. */
  readonly pastHorizon: "leave" | "new-series";
  /** All names of the destinations of these records (destination-names.ts). Pauses of single ones are by name. */
  readonly destinations?: readonly DestinationName[];
  /** Takes a record parked under another hash if its reason is decided again. Absent: it stays parked. */
  readonly rulesHash?: string;
  /** A person's order: it takes what is parked too, and of open entries those begun so. The entry has it. */
  readonly isDiscard?: true;
  /**
   * The archive alone has these records, and keeps them for so long. So a tombstone of a drop is taken back, by a
   * series that is later than all before the drop. Each entry is kept as long: nothing else shows that a record of the
   * archive was published.
   */
  readonly archivedForMs?: number;
  readonly workerLostAt?: number;
  /** Entries of the audit that are true if every record is begun and no double is declared (Riding). */
  readonly audit?: readonly NewAuditEntry[];
}

/**
 * `audited`: the entries that came with the call were written in its own step. Absent: none of them was, so
 * that the caller writes what became true, before its next act.
 */
export interface Riding {
  readonly audited?: true;
}

export type BeginVerdict =
  | {
      readonly kind: "begun";
      readonly series: Series;
      /** An earlier series may have been accepted, and its window is over. All later series keep it. */
      readonly declaredDouble: false | "unknown-outcome-past-window" | "released-past-window";
    }
  | { readonly kind: "in-flight" | "past-horizon" | "archived" | "gone" | "other-version" }
  /** `dueAt`: by the server's clock. */
  | { readonly kind: "cooling"; readonly dueAt: number }
  /** `isBeingDeleted`: by whoever published it, or the sweep. What a come-back proved is left to a page. */
  | { readonly kind: "published"; readonly as: MessageId; readonly isBeingDeleted?: true }
  | { readonly kind: "parked"; readonly reason: ParkReason };

export type BeginAnswer = LedgerStamp &
  (
    | ({ readonly kind: "answered"; readonly verdicts: readonly BeginVerdict[] } & Riding)
    /**
     * Nothing was begun, for all. `ledger-full`: Redis is almost full. The settle gate and paused destinations
     * stop first POSTs alone: a POST in doubt is repeated up to its horizon, which shows its outcome.
     */
    | { readonly kind: "page-too-old" | "paused" | "settle-gate" | "ledger-full" }
    /** Some destinations are paused, by these names. The call may be repeated without their records. */
    | { readonly kind: "host-paused"; readonly hosts: readonly DestinationName[] }
  );

export interface PublishedFact {
  readonly dlqId: DlqId;
  /**
   * Id of the message as it was published. Null: not known, as the service's own retry took it out unanswered. Then
   * an open entry becomes cool: if it is listed again, it was not published.
   */
  readonly as: MessageId | null;
  /** The header of a message that does not carry it, so that its come-back is known by its id (`sentAs`). */
  readonly lineage?: string;
  readonly attempt: number;
  /** False for evidence from a come-back's lineage: recorded, and deleted only when it is listed again. */
  readonly deletePending: boolean;
  /** It entered the DLQ when it was created, as far as a listing by dates can show (letterDatesAgree). */
  readonly datesAgree?: true;
  /** With evidence: the page in which a come-back named it as its parent. */
  readonly namedBy?: Token;
  readonly drain: DrainName | null;
  /** The dead letter's own messageId, if known. */
  readonly messageId: MessageId | null;
}

/**
 * `recorded`: also for the same fact once more. `already`: another message was published before, and stays.
 * `gone`: the tombstone stays, and nothing is pending; `as` if it was a publication. `other-version`: not
 * written, and the proof is valid all the same.
 */
export type PublishedVerdict = {
  /** Present if `namedBy` was the first to name this dead letter as a parent: counts each come-back once. */
  readonly firstNaming?: true;
  /** With `firstNaming`: the kind and the rule under which it was begun. Absent: not known, or forgotten. */
  readonly failure?: string;
  readonly rule?: RuleName["id"];
} & (
  | { readonly kind: "recorded" | "other-version" }
  | { readonly kind: "already"; readonly as: MessageId }
  | { readonly kind: "gone"; readonly as?: MessageId }
);

export interface RefusedRequest {
  readonly dlqId: DlqId;
  /**
   * `not-sent`: the POST never counted. `refused`: certain refusal. `refused-alone`: certain, and it was the only item.
   * `hit-after-refusals`: answered `deduplicated` in a series with an unanswered POST and a refusal. It enqueued
   * nothing and proves nothing. It counts as a refusal, and as an acceptance of the source, which takes messages.
   */
  readonly outcome: "not-sent" | "refused" | "refused-alone" | "hit-after-refusals";
  /** Not due again before now + this. */
  readonly coolMs: number;
}

export type RefusedVerdict =
  /** `stays-open`: an earlier POST of the series is unanswered. */
  { readonly kind: "stays-open" | "not-yours" } | { readonly kind: "cool"; readonly refusedAlone: number };

export interface SourceFacts extends LedgerStamp {
  /** Last acceptance of any item of this source, Unix ms; null: none since the ledger began. */
  readonly lastAcceptedAt: number | null;
  readonly refusedAloneInARow: number;
}

export interface ParkRequest {
  readonly dlqId: DlqId;
  readonly reason: ParkReason;
  readonly attempt: number;
  /** The id of its kind of failure. Absent: not known; what the entry has stays. */
  readonly failure?: string;
}

export interface ParkOptions {
  readonly drain: DrainName;
  readonly rulesHash: string;
  readonly token: Token | null;
  readonly seenAt?: number;
  readonly workerLostAt?: number;
}

export interface ParkVerdict {
  readonly kind: "parked" | "not-yours" | "done-before";
}

/**
 * The end of a DELETE that did not delete all of its ids. `failed`: certainly or most likely it deleted
 * nothing, so it may be repeated. `unanswered`: it may have deleted them. `short`: it deleted fewer than
 * asked, so some were gone before. That is no failure, and the settle gate does not count it.
 */
export type DeleteEnd = "failed" | "unanswered" | "short";

/** What a page has just shown of ids: their messages, in their order. */
export interface ListedAs {
  readonly drain: DrainName;
  readonly messageIds: readonly MessageId[];
}

export interface LedgerSummary extends LedgerStamp {
  readonly open: number;
  readonly unknown: number;
  /** Both oldest times are by the server's clock, which is behind `at` if it was set back. */
  readonly oldestOpenAt: number | null;
  readonly pendingDelete: number;
  readonly oldestPendingAt: number | null;
  readonly failedDeletes: number;
  /** How many were marked gone since the ledger began. */
  readonly gone: number;
  readonly settleGate: "open" | "closed";
  readonly rules: readonly RuleCounts[];
}

export interface RuleName {
  readonly drain: DrainName;
  readonly rule: string;
  readonly id: string;
}

/** What a rule has published, and how much came back as far as it was listed. A new name begins anew. */
export interface RuleCounts extends RuleName {
  readonly published: number;
  readonly failedAgain: number;
}

/** The entry that a page ended with. `keptUntil`: as the index had it, Unix ms. */
export interface ParkedPlace {
  readonly dlqId: string;
  readonly keptUntil: number;
}

/** `keptUntil`: when the ledger forgets it, if it is not listed again before. Unix ms by Redis's clock. */
export type ParkedInPage = ParkedDeadLetter & { readonly keptUntil: number };

export interface ParkedPage extends LedgerStamp {
  readonly entries: readonly ParkedInPage[];
  readonly total: number;
  readonly next: ParkedPlace | null;
}

type Verdicts<Verdict> = LedgerStamp & { readonly verdicts: readonly Verdict[] };
type Entries<Entry> = LedgerStamp & { readonly entries: readonly Entry[] };
type Counted = LedgerStamp & { readonly count: number };
type Viewed = LedgerStamp & { readonly views: readonly LedgerView[] };

/**
 * The ledger: what was done to each dead letter of one source. One entry per (source, dlqId), never per drain.
 *
 *   absent, cool ──begin──► open ─┬─ published ──► published ──gone──► gone
 *                            │ ▲  └─ archived (a drop) ──► archived ──gone──► gone
 *                            │ └── begin, by another worker after takeover
 *                            └── refused ──► cool
 *
 *   absent, cool, open past takeover ──park──► parked ─┬─ release ──► cool
 *                                                      └─ begin, under other rules or to discard ──► open
 *   open, cool, parked ──published──► published, whenever a proof comes
 *
 * Rights are fenced, facts are not: begin, refused, park and release need the current right; `published` and
 * `gone` merge upwards from any worker and never regress. Times are taken inside the script.
 *
 * Guarantees: one script and one round trip per call, for up to 100 records, verdicts in order. A call is idempotent
 * per token: the client may send it twice. An entry and the indexes change together. Fails with RedriverError
 * `redis-unavailable`; no answer means not begun, so no POST. Not part of this contract: bodies, rates, schedules.
 *
 * `workerLostAt`: a worker of these records was lost or has stopped by then, Redis time. What was begun or published before
 * waits for no takeover. If that worker froze and goes on, its POST and the next one are of the same id.
 */
export interface Ledger {
  readonly limits: LedgerLimits;
  now(): Promise<LedgerStamp>;
  /** Views in order, of records that were just listed. Records that, and renews their life. */
  look(dlqIds: readonly DlqId[], workerLostAt?: number): Promise<Viewed>;
  /** The same views for readers only: nothing is recorded. */
  peek(dlqIds: readonly DlqId[]): Promise<Viewed>;
  /** In order, the `lineage` of the fact that each of these messages was published; false: none is kept. */
  sentAs(
    ids: readonly MessageId[],
  ): Promise<LedgerStamp & { readonly lineages: readonly (string | false)[] }>;
  /** Takes the right to act and writes the intent, in one step. */
  begin(requests: readonly BeginRequest[], options: BeginOptions): Promise<BeginAnswer>;
  /**
   * A fact; no token. From every state but gone; the first publication stays. `audit`: entries that are true
   * if every fact is recorded.
   */
  published(
    facts: readonly PublishedFact[],
    audit?: readonly NewAuditEntry[],
  ): Promise<Verdicts<PublishedVerdict> & SourceFacts & Riding>;
  /** Ends a POST that was certainly not accepted: open → cool, unless an earlier one is unanswered. */
  refused(requests: readonly RefusedRequest[], token: Token): Promise<Verdicts<RefusedVerdict> & SourceFacts>;
  /** A fact for drops: the archive holds it. Needs the token. */
  archived(dlqIds: readonly DlqId[], file: string, token: Token): Promise<Verdicts<"recorded" | "not-yours">>;
  /**
   * A fact: the DELETE was answered with all asked deleted, or a complete listing no longer has it. Only from
   * published or archived. Counts those of `dlqIds` that are tombstones now.
   */
  gone(dlqIds: readonly DlqId[]): Promise<Counted>;
  /**
   * Records how a DELETE of these ended that did not delete all; they stay pending. Default: `failed`. `listed`: a page of
   * this drain has just shown them, with these messages, in order. So what was known by a come-back alone can be proven gone.
   */
  deleteFailed(dlqIds: readonly DlqId[], how?: DeleteEnd, listed?: ListedAs | null): Promise<LedgerStamp>;
  /**
   * After a complete full pass of a drain: its published or archived entries from before `passStartedAt`
   * (Redis time) that were not listed since become gone.
   */
  markUnlistedGone(drain: DrainName, passStartedAt: number): Promise<Counted>;
  /**
   * From absent, cool, or open past takeover; from open with its token; from parked, with a new reason.
   * `rule` and `otherwise`, which a change of rules lifts, do not replace a reason that waits for a person.
   * `seenAt`: Redis time of the page that parks them. A later release by a person stays (`not-yours`).
   */
  park(requests: readonly ParkRequest[], options: ParkOptions): Promise<Verdicts<ParkVerdict>>;
  /** Parked → due at once, with one more redrive granted. Counts the given ids that are released now. */
  release(dlqIds: readonly DlqId[], released?: Exclude<Released, false>): Promise<Counted>;
  /**
   * A page of parked entries: those first that were listed longest ago. Null begins, and `next` is null at the
   * end. An entry that is parked from the first page to the last is answered, perhaps more than once.
   */
  parked(after: ParkedPlace | null, limit: number): Promise<ParkedPage>;
  /** Open entries with an unknown outcome (lastAt + takeoverAfter < now), oldest first, skipping `offset`. */
  unknownOutcomes(limit: number, offset: number): Promise<Entries<OpenEntry>>;
  /** Published or archived and not deleted, oldest first, skipping `offset`. */
  pendingDeletes(limit: number, offset: number): Promise<Entries<PendingEntry>>;
  summary(rules?: readonly RuleName[]): Promise<LedgerSummary>;
  /**
   * Records a detected loss of writes; every later answer has it. `oldestAt`: the oldest publication that was not
   * settled at the last check, Unix ms. In any case the lost writes may include as much as the settle gate lets pend.
   */
  recordLoss(oldestAt?: number): Promise<LedgerStamp>;
}
