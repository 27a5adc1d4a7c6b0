/** `rule` and `otherwise` wait for other rules, `destination-not-allowed` and `over-limit` for settings. */
export const parkReasons = [
  "rule",
  "otherwise",
  "no-dlq-id",
  /** It breaks the work of its page, for a reason that only a mend of redriver removes. */
  "unworkable",
  "malformed-record",
  "binary-body",
  "redacted",
  "bad-destination",
  "destination-not-allowed",
  "over-limit",
  "unjoinable-header",
  /** Its own callback is sealed under a lineage key that is not known any more. */
  "callback-sealed",
  "workflow",
  "test-copy",
  "body-length-differs",
  "non-retryable",
  "attempts-exhausted",
  "refused",
  "too-large",
  "outcome-unknown",
  "vanished",
  /** In the queue when Redis lost its ledger, so an earlier publication could not be detected any more. */
  "ledger-lost",
  "body-numbers",
  "body-duplicate-keys",
  "body-not-editable",
  "signed-body",
  "patch-not-idempotent",
  "encoded-body",
] as const;

export type ParkReason = (typeof parkReasons)[number];
