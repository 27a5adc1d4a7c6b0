import type { MessageId } from "../message/dead-letter.ts";
import type { RequestOutcome } from "../ports/events.ts";
import type { BatchOutcome } from "../ports/service.ts";
import { parseJsonBody, type HttpAnswer, type AnswerBody, type CallEnd } from "./answer.ts";
import type { Sent } from "./batch-body.ts";
import { toItemOutcome } from "./batch-items.ts";
import type { CallResult } from "./call.ts";
import { describeCause, describeStatus, toAdvice, type CallContext } from "./call-failure.ts";
import { rawErrorText, toErrorText } from "./error-text-filter.ts";
import { toRetryAt } from "./retry-at.ts";
import { toShownMessageId } from "./shown-message-id.ts";

export interface BatchContext extends CallContext {
  readonly itemCount: number;
  readonly sent: Sent;
}

/**
 * Reads the end of a POST as proof (ledger.md, "Answers"; remote-contract.md, POST). An answer speaks for
 * itself. Without one, only three things prove that nothing was accepted: not a byte was sent, the last byte
 * was withheld, or it was stopped before its last byte. Everything else is in doubt.
 */
export function toBatchOutcome(result: CallResult, context: BatchContext): BatchOutcome {
  switch (result.kind) {
    case "answered":
      return fromAnswer(result.answer, context);
    case "failed":
      return unanswered(context, describeCause(result.cause));
    case "ended":
      return fromEnding(result.by, context);
  }
}

function fromEnding(by: CallEnd, context: BatchContext): BatchOutcome {
  const { where, sent } = context;
  switch (by) {
    case "withheld":
      return {
        kind: "not-sent",
        why: "too-late",
        error: `${where}: too late, so the last byte was withheld`,
      };
    case "stopped":
      if (sent !== "all")
        return { kind: "not-sent", why: "stopped", error: `${where}: stopped before it was sent` };
      return { kind: "in-doubt", error: `${where}: stopped after it was sent, before an answer` };
    case "timeout":
      return unanswered(context, `no answer within ${context.timeout}`);
  }
}

function unanswered({ where, sent }: BatchContext, why: string): BatchOutcome {
  if (sent === "nothing")
    return { kind: "not-sent", why: "connect", error: `${where}: nothing was sent: ${why}` };
  return { kind: "in-doubt", error: `${where}: sent, and no answer: ${why}` };
}

function fromAnswer(answer: HttpAnswer, context: BatchContext): BatchOutcome {
  const { status, body } = answer;
  if (status >= 200 && status < 300) return fromSuccess(body, status, context);
  const error = describeStatus(answer, context);
  switch (status) {
    case 400:
    case 412:
    case 422:
      return { kind: "refused", status, error, bisectBy: "count" };
    case 413:
      return { kind: "refused", status, error, bisectBy: "bytes" };
    case 429:
      return { kind: "not-sent", why: "rate-limited", error, retryAt: toRetryAt(answer) };
    // The service gave up waiting for a request that it may have read after all.
    case 408:
      return { kind: "in-doubt", error };
    default:
  }
  if (status >= 300 && status < 500) {
    const code = status === 401 || status === 403 ? "unauthorised" : "source-misconfigured";
    return { kind: "misconfigured", status, error: error + toAdvice(code, context.settings) };
  }
  // Quotas of the plan are permanent, although they come as 5xx (remote-contract.md, POST).
  const isQuota = rawErrorText(body).trimStart().startsWith("quota ");
  return isQuota ? { kind: "refused", status, error, bisectBy: "count" } : { kind: "in-doubt", error };
}

function fromSuccess(body: AnswerBody, status: number, context: BatchContext): BatchOutcome {
  const expected = `${context.where}: expected an array of ${context.itemCount}`;
  switch (body.kind) {
    case "too-large":
      return unreadable(`${expected}, got ${status} with a body above service.maxAnswerBytes`);
    case "cut":
      return { kind: "in-doubt", error: `${expected}, got ${status} with a body that was cut` };
    case "whole":
  }
  const parsed = parseJsonBody(body.bytes);
  if (parsed.kind === "not-json") return unreadable(`${expected}, got ${status} without JSON`);
  if (!Array.isArray(parsed.value)) return unreadable(`${expected}, got ${status} with other JSON`);
  const elements: readonly unknown[] = parsed.value;
  if (elements.length !== context.itemCount) {
    return unreadable(`${expected}, got ${status} with ${elements.length}`);
  }
  const clean = (text: string): string => toErrorText(text, context.token);
  const toId = (text: string): MessageId => toShownMessageId(text, context.token);
  return { kind: "answered", items: elements.map((element) => toItemOutcome(element, clean, toId)) };
}

function unreadable(error: string): BatchOutcome {
  return { kind: "in-doubt", error, unreadable: true };
}

export function outcomeOfBatch(outcome: BatchOutcome): RequestOutcome {
  switch (outcome.kind) {
    case "answered":
      return "ok";
    case "misconfigured":
      return outcome.status === 401 || outcome.status === 403 ? "unauthorised" : "misconfigured";
    case "not-sent":
      return outcome.why === "rate-limited" || outcome.why === "stopped" ? outcome.why : "not-sent";
    case "refused":
      return "refused";
    case "in-doubt":
      return "unknown";
  }
}
