import type { RequestOutcome } from "../contracts/events.ts";
import type { RetryOutcome } from "../contracts/service.ts";
import { outcomeOfBatch, toBatchOutcome, toItemOutcome } from "./batch-outcome.ts";
import type { CallResult } from "./call.ts";
import {
  describeCause,
  describeStatus,
  isNeverSent,
  noSuchMethod,
  whereOf,
  type CallContext,
} from "./call-failure.ts";
import { toErrorText } from "./error-text-filter.ts";
import { parseJsonBody } from "./http-answer.ts";
import { toShownMessageId } from "./sanitise-ids.ts";

/**
 * Reads the end of POST /v2/dlq/retry/{dlqId} (remote-contract.md, "The service's own retry"). It is as that of a
 * batch of one, but for an answer that is an object, and for a 404: only a listing shows if that means the id.
 */
export function toRetryOutcome(result: CallResult, context: CallContext): RetryOutcome {
  if (result.kind === "failed" && isNeverSent(result.cause)) {
    const error = `${whereOf(result.cause, context)}: nothing was sent: ${describeCause(result.cause)}`;
    return { kind: "not-sent", why: "connect", error };
  }
  if (result.kind === "answered") {
    const { status, body } = result.answer;
    if (status === 404) return { kind: "not-found", error: describeStatus(result.answer, context) };
    if (noSuchMethod.has(status)) return { kind: "absent", error: describeStatus(result.answer, context) };
    if (status >= 200 && status < 300 && body.kind === "whole") {
      const clean = (text: string): string => toErrorText(text, context.token);
      const item = toItemOutcome(parseJsonBody(body.bytes), clean, (id) =>
        toShownMessageId(id, context.token),
      );
      return { kind: "answered", items: [item] };
    }
  }
  return toBatchOutcome(result, { ...context, itemCount: 1, sent: "all" });
}

export function outcomeOfRetry(outcome: RetryOutcome): RequestOutcome {
  // An answer about this id.
  if (outcome.kind === "not-found") return "refused";
  return outcome.kind === "absent" ? "misconfigured" : outcomeOfBatch(outcome);
}
