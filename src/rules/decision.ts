import type { Action, ItemChanges } from "./spec.ts";

/** Why a record is left where it is for now; a later pass asks again. */
export const holdReasons = [
  "rule",
  "otherwise",
  "too-young",
  "waiting",
  "retry-after",
  "in-flight",
  "cooling",
  "outcome-unknown",
  "refused-alone",
  "not-sent",
  "source-halted",
  "settle-gate",
  /** Redis is almost full: what is left of it is for finishing what is begun. */
  "ledger-full",
  /** Its entry in the ledger was written by another version of redriver, in a layout that this one does not know. */
  "other-version",
  "paused",
  "page-too-old",
  "stopping",
  "attempts-exhausted",
  /** A drop without a working archive: nothing is deleted that was not kept. */
  "archive-missing",
  /** A search index is behind (guards). */
  "guard",
  /** A rate has no room just now: of the drain, the rule or the host. */
  "rate-limit",
  /** The ceiling of this pass is reached. */
  "pass-limit",
  /** The ceiling of this UTC day is reached. */
  "day-limit",
  /** Messages to its destination are being watched: whether they come back decides. */
  "lane-watched",
  /** Too many messages to its destination came back; one is tried now and then. */
  "lane-halted",
] as const;

/**
 * Why a record waits for a person, or, for `rule` and `otherwise`, for that drain's rules to change, or, for
 * `destination-not-allowed` and `over-limit`, for settings to change.
 */
export const parkReasons = [
  "rule",
  "otherwise",
  "no-dlq-id",
  "malformed-record",
  "binary-body",
  "redacted",
  "bad-destination",
  /** The settings allow no publish to its destination or a callback (publish.allow…). */
  "destination-not-allowed",
  /** Larger, or with more or longer headers, than the settings allow (publish.max…). */
  "over-limit",
  "unjoinable-header",
  /** Its own callback is sealed under a lineage key that is not known any more. */
  "callback-sealed",
  "workflow",
  "body-length-differs",
  "non-retryable",
  "attempts-exhausted",
  "refused",
  "too-large",
  "outcome-unknown",
  "vanished",
  /** In the queue when Redis lost its ledger; an earlier publication could not be noticed any more. */
  "ledger-lost",
  "body-numbers",
  "body-duplicate-keys",
  "body-not-editable",
  "signed-body",
  "patch-not-idempotent",
] as const;

/**
 * What a rebuild cannot keep. The first kinds are for `onLoss` to decide and are park reasons too; the others are only told
 * and counted, because nothing of the message itself changes.
 */
export const policyLosses = [
  "body-numbers",
  "body-duplicate-keys",
  "signed-body",
  "patch-not-idempotent",
] as const;
export const toldLosses = [
  "queue-delay",
  "flow-control",
  "failure-callback-again",
  "schedule-id",
  "redaction",
  "group-membership",
] as const;
export type PolicyLoss = (typeof policyLosses)[number];
export type Loss = PolicyLoss | (typeof toldLosses)[number];

export const republishReasons = ["due", "reconcile", "after-ledger-loss"] as const;
export const dropReasons = ["rule"] as const;
/** Already done to this record: it is listed although published or gone, and is deleted again. */
export const settleReasons = ["published-before"] as const;

export type HoldReason = (typeof holdReasons)[number];
export type ParkReason = (typeof parkReasons)[number];

/** What is to be done with one record, with the rule that said so (`null`: no rule) and the reason from a closed set. */
export type Decision =
  | {
      readonly then: "republish";
      readonly reason: (typeof republishReasons)[number];
      readonly rule: string | null;
      readonly set: ItemChanges;
    }
  | { readonly then: "drop"; readonly reason: (typeof dropReasons)[number]; readonly rule: string }
  | {
      readonly then: "hold";
      readonly reason: HoldReason;
      readonly rule: string | null;
      /** Unix ms from which it can be due, where known. */
      readonly until?: number;
    }
  | { readonly then: "park"; readonly reason: ParkReason; readonly rule: string | null }
  | { readonly then: "settle"; readonly reason: (typeof settleReasons)[number]; readonly rule: null };

/** What the rules alone say of a record. `rule` is null when none held and `otherwise` decided. */
export interface Routing {
  readonly then: Action;
  readonly rule: string | null;
  readonly set: ItemChanges;
}
