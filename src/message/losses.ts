import type { DeadLetter } from "./dead-letter.ts";
import { isReplaced, originalFlowControl } from "./flow-control.ts";
import { valuesOf } from "./header-values.ts";
import type { FlowControl } from "./item-changes.ts";

/**
 * The losses of a rebuild. `onLoss` decides about the first kinds, which are park reasons too. The others are
 * only reported and counted, because nothing of the message itself changes.
 */
export const policyLosses = [
  "body-numbers",
  "body-duplicate-keys",
  "signed-body",
  "patch-not-idempotent",
] as const;
export const reportedLosses = [
  "queue-delay",
  "flow-control",
  "failure-callback-again",
  "schedule-id",
  "redaction",
  "group-membership",
] as const;
export type PolicyLoss = (typeof policyLosses)[number];
export type ReportedLoss = (typeof reportedLosses)[number];
export type Loss = PolicyLoss | ReportedLoss;

export interface RebuiltFacts {
  readonly headerPrefix: string;
  readonly queue: string | undefined;
  readonly delayMs: number | null;
  readonly failureCallback: string | undefined;
  /** Flow control set in place of its own; null: it is removed; undefined: its own stays. */
  readonly flowControl: FlowControl | null | undefined;
}

/**
 * Parts that a rebuild leaves out or does again, without changing the message. A redacted record is parked
 * before. So `redaction` is reported only if a record lists its setting and no placeholder: a redacted part
 * that was empty.
 */
export function reportedLossesOf(letter: DeadLetter, rebuilt: RebuiltFacts): readonly ReportedLoss[] {
  const { headerPrefix, queue, delayMs, failureCallback, flowControl } = rebuilt;
  const losses: ReportedLoss[] = [];
  if (queue !== undefined && (delayMs ?? 0) > 0) losses.push("queue-delay");
  if (originalFlowControl(letter) !== undefined && isReplaced(letter, flowControl))
    losses.push("flow-control");
  // A callback that a rule sets anew has not fired for this message yet.
  if (failureCallback !== undefined && failureCallback === letter.failureCallback) {
    losses.push("failure-callback-again");
  }
  if (letter.scheduleId !== undefined) losses.push("schedule-id");
  if (valuesOf(letter.header, `${headerPrefix}Redact-Fields`).length > 0) losses.push("redaction");
  if (letter.topicName !== undefined) losses.push("group-membership");
  return losses;
}
