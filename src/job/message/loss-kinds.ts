/** `onLoss` decides about the first, which are park reasons too. The others are only counted. */
export const policyLosses = [
  "body-numbers",
  "body-duplicate-keys",
  "signed-body",
  "patch-not-idempotent",
  "encoded-body",
] as const;
export const reportedLosses = [
  "queue-delay",
  "flow-control",
  "failure-callback-again",
  "callback-settings",
  "schedule-id",
  "redaction",
  "group-membership",
] as const;
export type PolicyLoss = (typeof policyLosses)[number];
export type ReportedLoss = (typeof reportedLosses)[number];
export type Loss = PolicyLoss | ReportedLoss;
