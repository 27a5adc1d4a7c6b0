import { RedriverError, type ErrorCode } from "../ports/errors.ts";
import type { Answer, AnswerBody, Ending } from "./answer.ts";
import type { CallResult } from "./call.ts";
import { describeCause, isTimeout } from "./cause.ts";
import { toldErrorText } from "./error-text.ts";
import { toRetryAt } from "./retry-at.ts";

export interface CallContext {
  /** Begins every error: operation and host. */
  readonly where: string;
  readonly token: string;
  /** The time allowed and the setting that changes it. */
  readonly timeout: string;
}

export type WholeAnswer = Answer & { readonly body: Extract<AnswerBody, { kind: "whole" }> };

/** A list's or delete's 2xx answer with its whole body; everything else is thrown as a RedriverError. */
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
): RedriverError {
  return new RedriverError("answer-unreadable", `${where}: ${problem}`, { status });
}

function networkError(cause: unknown, { where }: CallContext, status?: number): RedriverError {
  const code = isTimeout(cause) ? "service-timeout" : "service-unavailable";
  const message = `${where}: expected an answer, got ${describeCause(cause)}; the address is service.url (REDRIVER_SERVICE_URL) or the url of the source`;
  return new RedriverError(code, message, { cause, ...(status === undefined ? {} : { status }) });
}

function endedError(by: Ending, { where, timeout }: CallContext, status?: number): RedriverError {
  const detail = status === undefined ? {} : { status };
  if (by === "timeout") {
    return new RedriverError("service-timeout", `${where}: no whole answer within ${timeout}`, detail);
  }
  return new RedriverError("stopped", `${where}: stopped before its answer`, detail);
}

function statusError(answer: Answer, { where, token }: CallContext): RedriverError {
  const { status } = answer;
  const text = toldErrorText(answer.body, token);
  const code = codeOfStatus(status);
  const message = `${where}: expected 2xx, got ${status}${text === "" ? "" : `: ${text}`}${adviceOf(code)}`;
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

function adviceOf(code: ErrorCode): string {
  if (code === "unauthorised")
    return "; the token is service.token (REDRIVER_SERVICE_TOKEN), service.tokenFile (REDRIVER_SERVICE_TOKEN_FILE) or the token of the source";
  return code === "source-misconfigured"
    ? "; the address is service.url (REDRIVER_SERVICE_URL) or the url of the source, redirects are not followed"
    : "";
}
