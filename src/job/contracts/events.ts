import type { Decision } from "../rules/decision.ts";
import type { CallbackOutcome } from "./callbacks.ts";
import type { ErrorCode, Failure } from "./errors.ts";
import type { GuardStanding } from "./guards.ts";
import type { DrainName, PassId, SourceId } from "./ids.ts";
import type { Notice } from "./notices.ts";
import type { LaneMove } from "./lanes.ts";
import type { Pass } from "./passes.ts";
import type { Census } from "./source-book.ts";
import type { PassCounts } from "./tally.ts";
import type { CallClass, SourcePauseReason } from "./source-pauses.ts";

/** Closed sets of fields that are labels of metrics. */
export const serviceOperations = ["list", "batch", "delete"] as const;
export type ServiceOperation = (typeof serviceOperations)[number];
export const passOutcomes = ["complete", "partial", "abandoned"] as const;
export const doubleReasons = ["unknown-outcome-past-window", "released-past-window"] as const;

export const requestOutcomes = [
  "ok",
  "refused",
  "rate-limited",
  "unauthorised",
  "misconfigured",
  "unavailable",
  "timeout",
  "unreadable",
  "not-sent",
  "unknown",
  "stopped",
] as const;
export type RequestOutcome = (typeof requestOutcomes)[number];

/** What became of the question how much is under way. `unknown`: no answer, or none that can be read. */
export const deliveriesOutcomes = ["keeps-up", "behind", "unknown", "absent"] as const;
export type DeliveriesOutcome = (typeof deliveriesOutcomes)[number];

type NoticeRef = Pick<Notice, "id" | "event">;

type GuardChange = { drain: DrainName } & Omit<GuardStanding, "effect">;

/** One event of a page or a batch, so that what is counted is counted once for all of them. Never empty. */
type OfRecords<Common, One> = { drain: DrainName; source: SourceId; records: readonly One[] } & Common;

interface DecidedFields {
  readonly dlqId: string | null;
  readonly decision: Decision;
  /** Made only if it is read, as the log at `debug` does. */
  readonly explain: () => string;
}

interface PublishedFields {
  readonly dlqId: string;
  /** Null: the service's own retry took it out of the queue, and no answer named its message. */
  readonly messageId: string | null;
  readonly deduplicated: boolean;
  readonly attempt: number;
  readonly canary: boolean;
  readonly waitedMs: number;
}

interface ComeBackFields extends Pick<PublishedFields, "dlqId" | "attempt" | "canary"> {
  readonly parentDlqId: string;
}

type OfRecord = { drain: DrainName; source: SourceId; dlqId: string };

/**
 * Ids and reasons, never bodies, header values or tokens. Times are Unix ms. What each tells a person stands in
 * docs/errors.md.
 */
interface EventFields {
  readonly "pass:opened": Pick<Pass, "drain" | "passId" | "kind" | "mode" | "from" | "to">;
  readonly "pass:closed": {
    drain: DrainName;
    passId: PassId;
    outcome: (typeof passOutcomes)[number];
    counts: PassCounts;
    durationMs: number;
  };
  readonly "window:failed": { drain: DrainName; passId: PassId } & Failure;
  readonly "record:decided": OfRecords<{ mode: "plan" | "live" }, DecidedFields>;
  readonly "record:published": OfRecords<object, PublishedFields>;
  readonly "record:come-back": OfRecords<object, ComeBackFields>;
  readonly "record:unworkable": OfRecord & Failure;
  readonly "record:settled": { drain: DrainName | null; source: SourceId; count: number };
  readonly "newest:limited": { drain: DrainName; letters: number };
  /** A record too large to be listed, so without an id: each listing that meets it emits one. */
  readonly "record:passed-over": { source: SourceId; date: number };
  readonly "archive:copied": { source: SourceId; drain: DrainName | null; count: number };
  readonly "archive:failed": { source: SourceId; message: string };
  readonly "archive:volume-seen": {
    verdict: "fit" | "doubtful" | "unfit";
    complaint: string;
  };
  readonly "outcome:unknown": { drain: DrainName; source: SourceId; dlqIds: readonly string[]; why: string };
  readonly "double:declared": OfRecord & { why: (typeof doubleReasons)[number] };
  readonly "double:found": OfRecord & { first: string; second: string };
  readonly "delete:short": { source: SourceId; asked: number; deleted: number };
  readonly "source:halted": {
    source: SourceId;
    /** `dlq` halts all calls, `batch` publishing alone. */
    callClass: CallClass;
    code: ErrorCode;
    message: string;
  };
  readonly "source:resumed": { source: SourceId };
  readonly "source:waiting": {
    source: SourceId;
    callClass: CallClass;
    why: SourcePauseReason;
    until: number;
  };
  readonly "source:token-read": { source: SourceId; changed: boolean };
  /** `problem`: the place and what was expected there, never the secret. The one from before stays. Once per change. */
  readonly "source:secret-refused": { source: SourceId; problem: string };
  readonly "source:dates-learned": { source: SourceId; meaning: "entered" | "created" };
  readonly "service:answered": {
    source: SourceId;
    operation: ServiceOperation;
    outcome: RequestOutcome;
    durationMs: number;
    status?: number;
  };
  readonly "source:calls": {
    source: SourceId;
    inFlight: Readonly<Record<ServiceOperation, number>>;
    limits: Readonly<Record<ServiceOperation, number>>;
    /** The limit of calls that list or delete which all replicas keep to now; null: they keep to none. */
    dlqPerSecond: number | null;
  };
  readonly "ledger:lost-writes": { source: SourceId; expected: string; got: string };
  readonly "sweep:finished": { source: SourceId; settled: number; reconciled: number; left: number };
  readonly "sweep:failed": { source: SourceId } & Failure;
  readonly "census:taken": { source: SourceId; durationMs: number } & Pick<
    Census,
    "depth" | "unselected" | "expiringUnarchived"
  >;
  readonly "census:failed": { source: SourceId } & Failure;
  readonly "guard:closed": GuardChange;
  readonly "guard:opened": GuardChange;
  /** A lane's new state, or its next step's new size (0: halted). `why` has nothing of a message. */
  readonly "lane:moved": { source: SourceId } & LaneMove;
  readonly "deliveries:asked": { source: SourceId; outcome: DeliveriesOutcome; why: string | null };
  readonly "brake:switched-off": { source: SourceId };
  readonly "service-retry:switched-off": { source: SourceId; why: string };
  /** A call to the callback address of a source. `why` has nothing that the caller sent. */
  readonly "callback:received": {
    source: SourceId;
    outcome: CallbackOutcome;
    why: string | null;
    /** The first of its outcome for the source within a minute. */
    isNews: boolean;
  };
  readonly "statistics:read": { index: string; durationMs: number };
  readonly "statistics:failed": { index: string } & Failure;
  readonly "notice:delivered": { target: string; notices: readonly NoticeRef[] };
  /** They will not be told. `why` has nothing that a target answered but its status. */
  readonly "notice:dropped": { target: string; notices: readonly NoticeRef[]; why: string };
  readonly "job:failed": { kind: string; givenUp: boolean } & Failure;
  readonly "console:failed": { message: string };
  /** `why`: the line and what was expected there, never a token. The tokens from before stay. Once per change. */
  readonly "console:tokens-rejected": { file: string; why: string };
  readonly "console:page-failed": { place: string } & Failure;
  readonly "log:dropped": { lines: number };
  readonly "process:warned": { name: string; message: string };
  readonly "redis:lost": { message: string };
  readonly "redis:ready": object;
  readonly "redis:unfit": { problems: readonly string[] };
  readonly "redis:fit": object;
  /** Also at the start. `hash` stays the same if an edit changes no meaning. */
  readonly "document:adopted": {
    hash: string;
    before: string | null;
    at: number;
    warnings: readonly string[];
  };
  readonly "document:rejected": { hash: string; problems: readonly string[] };
  readonly "daemon:started": {
    httpAddress: string;
    callbackAddress: string | null;
    consoleAddress: string | null;
    documentHash: string;
    version: string;
  };
  readonly "daemon:reloading": { why: string };
  readonly "daemon:stopping": { why: string };
  readonly "daemon:stopped": { clean: boolean };
}

/** A lost event changes nothing. */
export type RedriverEvent = EventOf<keyof EventFields>;

export type EventOf<Type extends keyof EventFields> = {
  [One in Type]: Readonly<{ type: One } & EventFields[One]>;
}[Type];

export interface Events {
  /** Never throws and never waits. */
  emit(event: RedriverEvent): void;
}
