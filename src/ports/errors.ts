/**
 * One class, one closed table. A disposition answers one question: what does the caller do next? Log level,
 * retry, metric label and exit code are read from here. docs/errors.md has the same table.
 */
export type Disposition = "retry" | "wait" | "skip" | "park" | "reconcile" | "halt" | "crash";

interface ErrorRow {
  readonly disposition: Disposition;
  readonly level: "debug" | "info" | "warn" | "error" | "fatal";
  /** Exit code of a command that ends with this error. */
  readonly exitCode: 1 | 2 | 3 | 78;
  readonly meaning: string;
}

export const errorTable = {
  "settings-invalid": {
    disposition: "crash",
    level: "fatal",
    exitCode: 78,
    meaning: "a setting is missing, unknown or out of range",
  },
  "document-invalid": {
    disposition: "crash",
    level: "fatal",
    exitCode: 78,
    meaning: "the drains document has problems",
  },
  "command-misused": {
    disposition: "crash",
    level: "fatal",
    exitCode: 2,
    meaning: "a command was called with wrong arguments",
  },
  "invariant-broken": {
    disposition: "crash",
    level: "fatal",
    exitCode: 1,
    meaning: "redriver found itself in a state that must not be",
  },
  "service-unavailable": {
    disposition: "retry",
    level: "warn",
    exitCode: 1,
    meaning: "the service could not be reached or answered 5xx",
  },
  "service-timeout": {
    disposition: "retry",
    level: "warn",
    exitCode: 1,
    meaning: "the service did not answer in time",
  },
  "service-resting": {
    disposition: "wait",
    level: "info",
    exitCode: 3,
    meaning:
      "the service asked for a pause, does not answer, or answers more than may be read, and is not called for a while",
  },
  "rate-limited": { disposition: "wait", level: "info", exitCode: 3, meaning: "the service answered 429" },
  unauthorised: {
    disposition: "halt",
    level: "error",
    exitCode: 1,
    meaning: "the service refused the token",
  },
  "source-misconfigured": {
    disposition: "halt",
    level: "error",
    exitCode: 1,
    meaning: "the service does not know this operation at this address",
  },
  "answer-unreadable": {
    disposition: "halt",
    level: "error",
    exitCode: 1,
    meaning: "an answer of the service does not have the documented shape",
  },
  "answer-too-large": {
    disposition: "retry",
    level: "warn",
    exitCode: 1,
    meaning: "an answer of the service is larger than the limit",
  },
  "listing-endless": {
    disposition: "skip",
    level: "error",
    exitCode: 1,
    meaning: "a listing of the service goes in circles or does not end",
  },
  "archive-unavailable": {
    disposition: "retry",
    level: "error",
    exitCode: 1,
    meaning: "the archive cannot keep a dead letter durably, so nothing that needs it is deleted",
  },
  "plan-invalid": {
    disposition: "crash",
    level: "error",
    exitCode: 2,
    meaning: "a plan is damaged, edited, of another version, or made for another source",
  },
  "plan-drifted": {
    disposition: "skip",
    level: "error",
    exitCode: 1,
    meaning: "too much of a frozen plan is gone or would be decided otherwise now",
  },
  "service-refuses-everything": {
    disposition: "halt",
    level: "error",
    exitCode: 1,
    meaning: "many single refusals in a row and nothing accepted",
  },
  "request-refused": {
    disposition: "park",
    level: "warn",
    exitCode: 1,
    meaning: "the service refused a request as invalid",
  },
  "publish-outcome-unknown": {
    disposition: "reconcile",
    level: "warn",
    exitCode: 1,
    meaning: "a publish was sent and no answer came",
  },
  "dead-letter-gone": {
    disposition: "skip",
    level: "info",
    exitCode: 1,
    meaning: "a dead letter is no longer listed",
  },
  "document-changed": {
    disposition: "retry",
    level: "info",
    exitCode: 3,
    meaning: "a pass was opened under another drains document",
  },
  "source-rebound": {
    disposition: "halt",
    level: "error",
    exitCode: 78,
    meaning: "a source id is bound to another address, or another id already drains the account, or may have",
  },
  "redis-unavailable": {
    disposition: "retry",
    level: "error",
    exitCode: 1,
    meaning: "Redis could not be reached or did not answer",
  },
  "redis-unsuitable": {
    disposition: "halt",
    level: "error",
    exitCode: 1,
    meaning: "Redis is not set up to keep a ledger",
  },
  "ledger-lost-writes": {
    disposition: "retry",
    level: "error",
    exitCode: 1,
    meaning: "Redis came back without writes that were acknowledged",
  },
  "statistics-unavailable": {
    disposition: "retry",
    level: "warn",
    exitCode: 1,
    meaning: "search index statistics could not be read",
  },
  stopped: {
    disposition: "skip",
    level: "info",
    exitCode: 3,
    meaning: "the work was stopped before its end",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

export interface ErrorDetail {
  readonly cause?: unknown;
  /** Unix ms before which the caller must not try again (`wait`). */
  readonly retryAt?: number;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** It is certain that the service was never asked. */
  readonly notSent?: true;
  /** The answer has no documented shape. It may be a proxy's, and the service's own is lost. */
  readonly isForeign?: true;
}

/**
 * Messages have expectation, value got, and the setting to change; never payloads, header values or tokens.
 */
export class RedriverError extends Error {
  readonly code: ErrorCode;
  readonly retryAt: number | undefined;
  readonly status: number | undefined;
  readonly notSent: boolean;
  readonly isForeign: boolean;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "RedriverError";
    this.code = code;
    this.retryAt = detail.retryAt;
    this.status = detail.status;
    this.notSent = detail.notSent === true;
    this.isForeign = detail.isForeign === true;
  }

  get disposition(): Disposition {
    return errorTable[this.code].disposition;
  }
}

export function isRedriverError(error: unknown): error is RedriverError {
  return error instanceof RedriverError;
}

/** True if Redis gave no answer. The write may or may not have happened. */
export function isRedisAway(error: unknown): boolean {
  return isRedriverError(error) && error.code === "redis-unavailable";
}

/** The answer of a call to Redis, or this value if Redis is away. Other errors pass. */
export async function unlessRedisAway<Answer, Otherwise>(
  call: () => Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> {
  try {
    return await call();
  } catch (error) {
    if (!isRedisAway(error)) throw error;
    return otherwise;
  }
}

export interface Failure {
  readonly code: ErrorCode | "unexpected";
  readonly message: string;
}

/**
 * The part of an error that may appear in Redis, events and logs. A RedriverError's message is free of
 * payloads by its contract. A foreign message is not (JSON.parse quotes its input), so a foreign error is
 * shown by its name and place alone.
 */
export function toFailure(error: unknown): Failure {
  if (isRedriverError(error)) return { code: error.code, message: error.message };
  if (!(error instanceof Error)) return { code: "unexpected", message: `a thrown ${typeof error}` };
  const place = toPlace(error);
  return { code: "unexpected", message: place === undefined ? error.name : `${error.name} ${place}` };
}

/** The first frame. A stack begins with the message, and its lines may look like frames. */
function toPlace({ stack = "", message }: Error): string | undefined {
  const at = stack.indexOf(message);
  if (at < 0) return undefined;
  return stack
    .slice(at + message.length)
    .split("\n")
    .find((line) => line.startsWith("    at "))
    ?.trim();
}
