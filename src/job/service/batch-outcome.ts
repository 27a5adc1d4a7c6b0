import type { MessageId } from "../message/dead-letter.ts";
import { isObject } from "../message/json-value.ts";
import { isMessageId } from "../message/message-ids.ts";
import type { RequestOutcome } from "../contracts/events.ts";
import type { BatchOutcome, ItemOutcome } from "../contracts/service.ts";
import { parseJsonBody, type HttpAnswer, type AnswerBody, type CallEnd } from "./http-answer.ts";
import type { Sent } from "./batch-body-last-byte.ts";
import type { CallResult } from "./call.ts";
import {
  codeOfStatus,
  describeCause,
  describeStatus,
  toAdvice,
  whereOf,
  type CallContext,
} from "./call-failure.ts";
import { rawErrorText, toErrorText } from "./error-text-filter.ts";
import { toRetryAt } from "./retry-at.ts";
import { toShownMessageId } from "./sanitise-ids.ts";

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
      return unanswered(context, describeCause(result.cause), whereOf(result.cause, context));
    case "ended":
      return fromEnding(result.by, context);
  }
}

function fromEnding(by: CallEnd, context: BatchContext): BatchOutcome {
  const { where, sent } = context;
  switch (by) {
    case "withheld":
      return notSent("too-late", `${where}: too late, so the last byte was withheld`);
    case "stopped":
      if (sent !== "all") return notSent("stopped", `${where}: stopped before it was sent`);
      return { kind: "in-doubt", error: `${where}: stopped after it was sent, before an answer` };
    case "early":
      return { kind: "in-doubt", error: `${where}: a success was answered before the last byte was sent` };
    case "timeout":
      return unanswered(context, `no answer within ${context.timeout}`);
  }
}

type NotSent = Extract<BatchOutcome, { kind: "not-sent" }>;

function notSent(why: NotSent["why"], error: string): NotSent {
  return { kind: "not-sent", why, error };
}

function unanswered({ sent, where }: BatchContext, why: string, place = where): BatchOutcome {
  if (sent === "nothing") return notSent("connect", `${place}: nothing was sent: ${why}`);
  return { kind: "in-doubt", error: `${place}: sent, and no answer: ${why}` };
}

function fromAnswer(answer: HttpAnswer, context: BatchContext): BatchOutcome {
  const { status, body } = answer;
  if (status >= 200 && status < 300) return fromSuccess(body, status, context);
  const error = describeStatus(answer, context);
  const code = codeOfStatus(status);
  if (code === "request-refused") {
    return { kind: "refused", status, error, bisectBy: status === 413 ? "bytes" : "count" };
  }
  if (code === "rate-limited") return { kind: "not-sent", why: code, error, retryAt: toRetryAt(answer) };
  // The service gave up waiting for a request that it may have read after all.
  if (code === "service-timeout") return { kind: "in-doubt", error };
  if (code !== "service-unavailable") {
    return { kind: "misconfigured", status, error: error + toAdvice(code, context.settings) };
  }
  // Quotas of the plan are permanent, although they come as 5xx (remote-contract.md, POST).
  const isQuota = rawErrorText(body).trimStart().startsWith("quota ");
  return isQuota ? { kind: "refused", status, error, bisectBy: "count" } : { kind: "in-doubt", error };
}

function fromSuccess(body: AnswerBody, status: number, context: BatchContext): BatchOutcome {
  const got = `${context.where}: expected an array of ${context.itemCount}, got ${status}`;
  if (body.kind === "too-large") return odd(`${got} with a body above service.maxAnswerBytes`);
  if (body.kind === "cut") return { kind: "in-doubt", error: `${got} with a body that was cut` };
  const parsed = parseJsonBody(body.bytes);
  if (parsed === undefined) return odd(`${got} without JSON`);
  if (!Array.isArray(parsed)) return odd(`${got} with other JSON`);
  const elements: readonly unknown[] = parsed;
  if (elements.length !== context.itemCount) return odd(`${got} with ${elements.length}`);
  const clean = (text: string): string => toErrorText(text, context.token);
  const toId = (text: string): MessageId => toShownMessageId(text, context.token);
  return { kind: "answered", items: elements.map((element) => toItemOutcome(element, clean, toId)) };
}

function odd(error: string): BatchOutcome {
  return { kind: "in-doubt", error, unreadable: true };
}

type Position =
  | { readonly kind: "published"; readonly messageId: string; readonly deduplicated: boolean }
  | { readonly kind: "refused"; readonly error: string }
  /** Neither an acceptance nor a refusal that can be read, or both at once. */
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * Reads one position of a batch answer as proof about its item (remote-contract.md, POST). An object with a message id,
 * or a non-empty array of such objects, proves publication. An object with a readable error and no message id is a
 * refusal, and so is a non-empty array of such objects. Anything else proves nothing either way. As a refusal it would
 * be published again, and perhaps twice. `clean` makes the service's error text fit to show, `toId` its ids.
 */
export function toItemOutcome(
  element: unknown,
  clean: (text: string) => string,
  toId: (text: string) => MessageId,
): ItemOutcome {
  const position = Array.isArray(element) ? together(element.map(toPosition)) : toPosition(element);
  switch (position.kind) {
    case "published":
      return { kind: "accepted", messageId: toId(position.messageId), deduplicated: position.deduplicated };
    case "refused":
      return { kind: "refused", error: clean(position.error) };
    case "unreadable":
      return { kind: "in-doubt", why: position.why };
  }
}

function together(positions: readonly Position[]): Position {
  const [first] = positions;
  if (first === undefined) return unreadable(`${expectedItem}, got an empty array`);
  const published = positions.filter((position) => position.kind === "published");
  const proof = positions.find((position) => position.kind === "unreadable") ?? published[0] ?? first;
  if (proof.kind !== "published") return proof;
  if (published.length < positions.length) {
    return unreadable(`${published.length} of ${positions.length} endpoints of a URL Group have a messageId`);
  }
  return { ...proof, deduplicated: published.every(({ deduplicated }) => deduplicated) };
}

const expectedItem = "expected an object with a messageId or an error";

function toPosition(element: unknown): Position {
  if (!isObject(element)) return unreadable(`${expectedItem}, got something else`);
  const { messageId, error, deduplicated } = element;
  if (absent.has(messageId)) {
    const text = toText(error);
    if (text !== null) return { kind: "refused", error: text };
    return unreadable(`${expectedItem}, got neither`);
  }
  if (!absent.has(error)) return unreadable("expected a messageId or an error, got both");
  if (!isMessageId(messageId))
    return unreadable("expected a messageId like msg_<id>, got one that has not that shape");
  // A hit may prove less than an acceptance, so any value but an absent one counts as a hit.
  return { kind: "published", messageId, deduplicated: !absent.has(deduplicated) && deduplicated !== false };
}

const absent: ReadonlySet<unknown> = new Set([undefined, null, ""]);

/** `"text"` or `{"message": "text"}`; null for anything else. */
function toText(error: unknown): string | null {
  const text = isObject(error) ? error["message"] : error;
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

function unreadable(why: string): Position {
  return { kind: "unreadable", why };
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
