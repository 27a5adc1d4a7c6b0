import type { Decision } from "../rules/decision.ts";
import type { CallbackOutcome } from "./callbacks.ts";
import type { ErrorCode } from "./errors.ts";
import type { DrainName, PassId, SourceId } from "./ids.ts";
import type { LaneState, Origin } from "./lanes.ts";
import type { CallClass, SourcePauseReason } from "./source-pauses.ts";
import type { ScalarField } from "./statistics.ts";

export type ServiceOperation = "list" | "batch" | "delete";

/** How a request ended, as a closed set for metrics. */
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

export interface PassCounts {
  readonly listed: number;
  readonly due: number;
  readonly republished: number;
  readonly deduplicated: number;
  readonly deleted: number;
  readonly held: number;
  readonly parked: number;
  readonly inDoubt: number;
  readonly comeBacks: number;
}

/** A lost event changes nothing. Events carry ids and reasons, never bodies, header values or tokens. */
export type RedriverEvent =
  | {
      readonly type: "pass:opened";
      readonly drain: DrainName;
      readonly passId: PassId;
      readonly kind: "full" | "new";
      readonly mode: "plan" | "live";
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly type: "pass:closed";
      readonly drain: DrainName;
      readonly passId: PassId;
      readonly outcome: "complete" | "partial" | "abandoned";
      readonly counts: PassCounts;
      readonly durationMs: number;
    }
  | {
      readonly type: "window:failed";
      readonly drain: DrainName;
      readonly passId: PassId;
      readonly code: ErrorCode | "unexpected";
      readonly message: string;
    }
  | {
      readonly type: "record:decided";
      readonly drain: DrainName;
      readonly source: SourceId;
      readonly dlqId: string | null;
      readonly mode: "plan" | "live";
      readonly decision: Decision;
      readonly explanation: string;
    }
  | {
      readonly type: "record:published";
      readonly drain: DrainName;
      readonly source: SourceId;
      readonly dlqId: string;
      readonly messageId: string;
      readonly deduplicated: boolean;
      readonly attempt: number;
      /** Sent as a canary of its lane. */
      readonly canary: boolean;
    }
  | {
      readonly type: "record:come-back";
      readonly drain: DrainName;
      readonly source: SourceId;
      readonly dlqId: string;
      readonly parentDlqId: string;
      readonly attempt: number;
      readonly canary: boolean;
    }
  | {
      readonly type: "record:settled";
      readonly drain: DrainName | null;
      readonly source: SourceId;
      readonly count: number;
    }
  /**
   * A record too large to be listed, so without an id. `date` (Unix ms) is its date as the service's dates
   * select it. Each listing that meets it emits one.
   */
  | { readonly type: "record:passed-over"; readonly source: SourceId; readonly date: number }
  /** Copied to the archive shortly before their expiry. */
  | {
      readonly type: "archive:copied";
      readonly source: SourceId;
      readonly drain: DrainName | null;
      readonly count: number;
    }
  | { readonly type: "archive:failed"; readonly source: SourceId; readonly message: string }
  /** The volume of an archive, once per document that changes it. */
  | {
      readonly type: "archive:volume-seen";
      readonly verdict: "fit" | "doubtful" | "unfit";
      /** Empty if it is fit. */
      readonly complaint: string;
    }
  | {
      readonly type: "outcome:unknown";
      readonly drain: DrainName;
      readonly source: SourceId;
      readonly dlqIds: readonly string[];
      readonly why: string;
    }
  | {
      readonly type: "double:declared";
      readonly drain: DrainName;
      readonly source: SourceId;
      readonly dlqId: string;
      readonly why: "unknown-outcome-past-window" | "released-past-window";
    }
  | {
      readonly type: "double:found";
      readonly drain: DrainName;
      readonly source: SourceId;
      readonly dlqId: string;
      readonly first: string;
      readonly second: string;
    }
  | {
      readonly type: "delete:short";
      readonly source: SourceId;
      readonly asked: number;
      readonly deleted: number;
    }
  | {
      readonly type: "source:halted";
      readonly source: SourceId;
      /** `dlq` halts all calls, `batch` publishing alone. */
      readonly callClass: CallClass;
      readonly code: ErrorCode;
      readonly message: string;
    }
  | { readonly type: "source:resumed"; readonly source: SourceId }
  | {
      readonly type: "source:waiting";
      readonly source: SourceId;
      readonly callClass: CallClass;
      readonly why: SourcePauseReason;
      /** Unix ms. */
      readonly until: number;
    }
  | { readonly type: "source:token-read"; readonly source: SourceId; readonly changed: boolean }
  | {
      readonly type: "source:dates-learned";
      readonly source: SourceId;
      readonly meaning: "entered" | "created";
    }
  | {
      readonly type: "service:answered";
      readonly source: SourceId;
      readonly operation: ServiceOperation;
      readonly outcome: RequestOutcome;
      readonly durationMs: number;
      readonly status?: number;
    }
  | {
      readonly type: "ledger:lost-writes";
      readonly source: SourceId;
      readonly expected: string;
      readonly got: string;
    }
  | {
      readonly type: "sweep:finished";
      readonly source: SourceId;
      readonly settled: number;
      readonly reconciled: number;
      readonly left: number;
    }
  | {
      readonly type: "sweep:failed";
      readonly source: SourceId;
      readonly code: ErrorCode | "unexpected";
      readonly message: string;
    }
  | {
      readonly type: "census:taken";
      readonly source: SourceId;
      readonly depth: number;
      readonly unselected: number;
      readonly expiringUnarchived: number;
      readonly durationMs: number;
    }
  | {
      readonly type: "census:failed";
      readonly source: SourceId;
      readonly code: ErrorCode | "unexpected";
      readonly message: string;
    }
  /** A guard closed or opened. `stale`: no fresh reading, so its policy decided; `value` is null then. */
  | {
      readonly type: "guard:closed" | "guard:opened";
      readonly drain: DrainName;
      readonly index: string;
      readonly field: ScalarField;
      readonly why: "reading" | "stale";
      readonly value: number | null;
    }
  /** A lane's new state, or its next step's new size (0: halted). `why` has nothing of a message. */
  | {
      readonly type: "lane:moved";
      readonly source: SourceId;
      readonly drain: DrainName;
      readonly origin: Origin;
      readonly from: LaneState;
      readonly to: LaneState;
      readonly size: number;
      readonly why: string;
      readonly sent: number;
      readonly comeBacks: number;
    }
  /** A call to the callback address of a source. `why` has nothing that the caller sent. */
  | {
      readonly type: "callback:received";
      readonly source: SourceId;
      readonly outcome: CallbackOutcome;
      /** Null if there is nothing to report. */
      readonly why: string | null;
      /** The first of its outcome for the source within a minute. */
      readonly isNews: boolean;
    }
  | { readonly type: "statistics:read"; readonly index: string; readonly durationMs: number }
  | {
      readonly type: "statistics:failed";
      readonly index: string;
      readonly code: ErrorCode | "unexpected";
      readonly message: string;
    }
  | {
      readonly type: "job:failed";
      readonly kind: string;
      readonly code: ErrorCode | "unexpected";
      readonly message: string;
      readonly givenUp: boolean;
    }
  /** A warning of Node about this process, such as a deprecation or a leak. */
  | { readonly type: "process:warned"; readonly name: string; readonly message: string }
  | { readonly type: "redis:lost"; readonly message: string }
  | { readonly type: "redis:ready" }
  /** Nothing new begins: Redis is set up wrongly, full, refusing writes, or away. Once per change. */
  | { readonly type: "redis:unfit"; readonly problems: readonly string[] }
  | { readonly type: "redis:fit" }
  /** Also at the start. `hash` stays the same if an edit changes no meaning. */
  | {
      readonly type: "document:adopted";
      readonly hash: string;
      /** Null at the start. */
      readonly before: string | null;
      /** Unix ms. */
      readonly at: number;
      readonly warnings: readonly string[];
    }
  /** The document of `hash` stays in force. One line per problem, with file, line and column if known. */
  | { readonly type: "document:rejected"; readonly hash: string; readonly problems: readonly string[] }
  | {
      readonly type: "daemon:started";
      readonly httpAddress: string;
      /** Null if no source has callbacks. */
      readonly callbackAddress: string | null;
      readonly documentHash: string;
      readonly version: string;
    }
  | { readonly type: "daemon:stopping"; readonly why: string }
  | { readonly type: "daemon:stopped"; readonly clean: boolean };

/** The event of a type. Two types may share one member of the union. */
export type EventOf<Type extends RedriverEvent["type"], One = RedriverEvent> = One extends {
  readonly type: infer Own;
}
  ? Type extends Own
    ? One
    : never
  : never;

export interface Events {
  /** Never throws and never waits. */
  emit(event: RedriverEvent): void;
}
