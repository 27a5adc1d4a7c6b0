import { RedriverError, type ErrorCode } from "../ports/errors.ts";
import type { HttpAnswer, AnswerBody, CallEnd } from "./answer.ts";
import type { CallResult } from "./call.ts";
import { describeCause, isNeverConnected, isTimeout } from "./cause.ts";
import { toShownErrorText } from "./error-text-filter.ts";
import { toRetryAt } from "./retry-at.ts";

/** The settings to change when the service does not let us in. Errors with that cause name them. */
export interface ServiceSettings {
  readonly address: string;
  readonly token: string;
}

export interface CallContext {
  /** Begins every error: operation and host. */
  readonly where: string;
  readonly token: string;
  /** The time allowed and the setting that changes it. */
  readonly timeout: string;
  readonly settings: ServiceSettings;
}

export type WholeAnswer = HttpAnswer & { readonly body: Extract<AnswerBody, { kind: "whole" }> };

/** A list's or delete's 2xx answer with its whole body. Everything else is thrown as a RedriverError. */
export function toSuccess(result: CallResult, context: CallContext): WholeAnswer {
  switch (result.kind) {
    case "failed":
      throw networkError(result.cause, context);
    case "ended":
      throw endedError(result.by, context);
    case "answered":
  }
  const { answer } = result;
  const { body, status } = answer;
  if (status < 200 || status >= 300) throw statusError(answer, context);
  switch (body.kind) {
    case "whole":
      return { ...answer, body };
    case "too-large":
      throw new RedriverError(
        "answer-too-large",
        `${context.where}: expected at most service.maxAnswerBytes (REDRIVER_SERVICE_MAX_ANSWER_BYTES), got more`,
        { status },
      );
    case "cut":
      if (body.by === "failure") throw networkError(body.cause, context, status);
      throw endedError(body.by, context, status);
  }
}

export function unreadable(
  { where }: Pick<CallContext, "where">,
  status: number,
  problem: string,
  isForeign?: true,
): RedriverError {
  const detail = { status, ...(isForeign === undefined ? {} : { isForeign }) };
  return new RedriverError("answer-unreadable", `${where}: ${problem}`, detail);
}

function networkError(cause: unknown, { where, settings }: CallContext, status?: number): RedriverError {
  const code = isTimeout(cause) ? "service-timeout" : "service-unavailable";
  const message = `${where}: expected an answer, got ${describeCause(cause)}; the address is ${settings.address}`;
  return new RedriverError(code, message, {
    cause,
    ...(status === undefined ? {} : { status }),
    ...(isNeverConnected(cause) ? { notSent: true } : {}),
  });
}

function endedError(by: CallEnd, { where, timeout }: CallContext, status?: number): RedriverError {
  const detail = status === undefined ? {} : { status };
  if (by === "timeout") {
    return new RedriverError("service-timeout", `${where}: no whole answer within ${timeout}`, detail);
  }
  return new RedriverError("stopped", `${where}: stopped before its answer`, detail);
}

function statusError(answer: HttpAnswer, { where, token, settings }: CallContext): RedriverError {
  const { status } = answer;
  const text = toShownErrorText(answer.body, token);
  const code = codeOfStatus(status);
  const message = `${where}: expected 2xx, got ${status}${text === "" ? "" : `: ${text}`}${toAdvice(code, settings)}`;
  return new RedriverError(code, message, {
    status,
    ...(code === "rate-limited" ? { retryAt: toRetryAt(answer) } : {}),
  });
}

function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
    case 403:
      return "unauthorised";
    case 408:
      return "service-timeout";
    case 400:
    case 412:
    case 413:
    case 422:
      return "request-refused";
    case 429:
      return "rate-limited";
    default:
      return status >= 300 && status < 500 ? "source-misconfigured" : "service-unavailable";
  }
}

/** How to fix a failure of this code; empty if no setting fixes it. */
export function toAdvice(code: ErrorCode, { address, token }: ServiceSettings): string {
  if (code === "unauthorised") return `; the token is ${token}`;
  return code === "source-misconfigured" ? `; the address is ${address}, redirects are not followed` : "";
}
