import type { toldLosses } from "../rules/decision.ts";
import type { DeadLetter } from "./dead-letter.ts";
import type { FlowControl } from "../rules/spec.ts";
import { isReplaced, originalFlowControl } from "./flow-control.ts";
import { valuesOf } from "./header-values.ts";

export type ToldLoss = (typeof toldLosses)[number];

export interface RebuiltFacts {
  readonly headerPrefix: string;
  readonly queue: string | undefined;
  readonly delayMs: number | null;
  readonly failureCallback: string | undefined;
  /** What is set in place of its own; null: none is. */
  readonly flowControl: FlowControl | null | undefined;
}

/**
 * What a rebuild leaves off, or does once more, without changing the message. A redacted record is parked before, so
 * `redaction` is told only of one that lists its setting and no placeholder: a redacted part that was empty.
 */
export function toldLossesOf(letter: DeadLetter, rebuilt: RebuiltFacts): readonly ToldLoss[] {
  const { headerPrefix, queue, delayMs, failureCallback, flowControl } = rebuilt;
  const losses: ToldLoss[] = [];
  if (queue !== undefined && (delayMs ?? 0) > 0) losses.push("queue-delay");
  if (originalFlowControl(letter) !== undefined && isReplaced(letter, flowControl))
    losses.push("flow-control");
  // One that a rule sets anew has not fired for this message yet.
  if (failureCallback !== undefined && failureCallback === letter.failureCallback) {
    losses.push("failure-callback-again");
  }
  if (letter.scheduleId !== undefined) losses.push("schedule-id");
  if (valuesOf(letter.header, `${headerPrefix}Redact-Fields`).length > 0) losses.push("redaction");
  if (letter.topicName !== undefined) losses.push("group-membership");
  return losses;
}
