import { codeOf, ConnectFailure, ProxyRefusal } from "../../egress/connect-failure.ts";
import { RedriverError, type ErrorCode } from "../contracts/errors.ts";
import type { RequestOutcome } from "../contracts/events.ts";
import type { HttpAnswer, AnswerBody, CallEnd } from "./http-answer.ts";
import type { CallResult } from "./call.ts";
import { ConnectTimeout } from "./connection.ts";
import { toShownErrorText } from "./error-text-filter.ts";
import { toRetryAt } from "./retry-at.ts";

/** The settings to change when the service does not let us in. Errors with that cause name them. */
export interface ServiceSettings {
  readonly address: string;
  readonly token: string;
}

export interface CallContext {
  /** Begins every error: operation, host, and a proxy between. */
  readonly where: string;
  /** The same without the proxy, for a cause that names it. */
  readonly whereDirect: string;
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

function networkError(cause: unknown, context: CallContext, status?: number): RedriverError {
  const code = isConnectTimeoutOrOneOf(cause, timeoutCodes) ? "service-timeout" : "service-unavailable";
  const advice = cause instanceof ProxyRefusal ? "" : `; the address is ${context.settings.address}`;
  const message = `${whereOf(cause, context)}: expected an answer, got ${describeCause(cause)}${advice}`;
  // Without a connection nothing was sent. Any other failure may have come after a request.
  return new RedriverError(code, message, {
    cause,
    status,
    notSent: cause instanceof ProxyRefusal || isConnectTimeoutOrOneOf(cause, connectCodes),
  });
}

/** A proxy is named once: by these causes, else by the place. */
export function whereOf(cause: unknown, { where, whereDirect }: CallContext): string {
  return cause instanceof ConnectTimeout || cause instanceof ProxyRefusal ? whereDirect : where;
}

function endedError(by: CallEnd, { where, timeout }: CallContext, status?: number): RedriverError {
  if (by === "timeout") {
    return new RedriverError("service-timeout", `${where}: no whole answer within ${timeout}`, { status });
  }
  return new RedriverError("stopped", `${where}: stopped before its answer`, { status });
}

function statusError(answer: HttpAnswer, context: CallContext): RedriverError {
  const { status } = answer;
  const code = codeOfStatus(status);
  return new RedriverError(code, describeStatus(answer, context) + toAdvice(code, context.settings), {
    status,
    retryAt: code === "rate-limited" ? toRetryAt(answer) : undefined,
  });
}

export function describeStatus({ status, body }: HttpAnswer, { where, token }: CallContext): string {
  const text = toShownErrorText(body, token);
  return `${where}: expected 2xx, got ${status}${text === "" ? "" : `: ${text}`}`;
}

export function codeOfStatus(status: number): ErrorCode {
  return codes[status] ?? (status >= 300 && status < 500 ? "source-misconfigured" : "service-unavailable");
}

const codes: Readonly<Partial<Record<number, ErrorCode>>> = {
  400: "request-refused",
  401: "unauthorised",
  403: "unauthorised",
  408: "service-timeout",
  412: "request-refused",
  413: "request-refused",
  422: "request-refused",
  429: "rate-limited",
};

/** How to fix a failure of this code; empty if no setting fixes it. */
export function toAdvice(code: ErrorCode, { address, token }: ServiceSettings): string {
  if (code === "unauthorised") return `; the token is ${token}`;
  return code === "source-misconfigured" ? `; the address is ${address}, redirects are not followed` : "";
}

/** A failed connection's code, such as ECONNREFUSED, else its name. Addresses and values stay in `cause`. */
export function describeCause(cause: unknown): string {
  if (cause instanceof ConnectFailure) return cause.message;
  if (cause instanceof AggregateError) return describeCause(cause.errors[0]);
  if (!(cause instanceof Error)) return "unknown failure";
  return codeOf(cause) ?? cause.name;
}

const timeoutCodes = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const connectCodes = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/** True for our own time limit of a connect, and for `codes`; of several addresses, if each failed so. */
function isConnectTimeoutOrOneOf(cause: unknown, codes: RegExp): boolean {
  if (cause instanceof ConnectTimeout) return true;
  if (cause instanceof AggregateError) {
    return cause.errors.length > 0 && cause.errors.every((error) => isConnectTimeoutOrOneOf(error, codes));
  }
  return codes.test(codeOf(cause) ?? "");
}

const outcomes: Partial<Record<ErrorCode, RequestOutcome>> = {
  "service-timeout": "timeout",
  "rate-limited": "rate-limited",
  unauthorised: "unauthorised",
  "source-misconfigured": "misconfigured",
  "answer-unreadable": "unreadable",
  "answer-too-large": "unreadable",
  "request-refused": "refused",
  stopped: "stopped",
};

export function outcomeOfError(code: ErrorCode): RequestOutcome {
  return outcomes[code] ?? "unavailable";
}
