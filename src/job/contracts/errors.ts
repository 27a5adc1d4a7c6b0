/**
 * One class, one closed table. A disposition answers one question: what does the caller do next? Log level,
 * retry, metric label and exit code are read from here. docs/errors.md has the same table.
 */
export type Disposition = "retry" | "wait" | "skip" | "park" | "halt" | "crash";

type LogLevel = "debug" | "info" | "warn" | "error" | "fatal";

const row = (disposition: Disposition, level: LogLevel, exitCode: 1 | 2 | 3 | 78, meaning: string) => ({
  disposition,
  level,
  exitCode,
  meaning,
});

export const errorTable = {
  "settings-invalid": row("crash", "fatal", 78, "a setting is missing, unknown or out of range"),
  "document-invalid": row("crash", "fatal", 78, "the drains document has problems"),
  "command-misused": row("crash", "fatal", 2, "a command was called with wrong arguments"),
  "not-found": row("skip", "info", 2, "what was named by its id is not there, or not any more"),
  "invariant-broken": row("crash", "fatal", 1, "redriver found itself in a state that must not be"),
  "service-unavailable": row("retry", "warn", 1, "the service could not be reached or answered 5xx"),
  "service-timeout": row("retry", "warn", 1, "the service did not answer in time"),
  "service-resting": row(
    "wait",
    "info",
    3,
    "the service is not called for a while, or the work waits for a free place or another replica",
  ),
  "rate-limited": row("wait", "info", 3, "the service answered 429"),
  unauthorised: row("halt", "error", 1, "the service refused the token"),
  "source-misconfigured": row("halt", "error", 1, "the service does not know this operation at this address"),
  "answer-unreadable": row("halt", "error", 1, "an answer of the service does not have the documented shape"),
  "answer-too-large": row("retry", "warn", 1, "an answer of the service is larger than the limit"),
  "worker-lost": row("park", "error", 1, "workers were lost each time a record was worked alone"),
  "listing-endless": row("skip", "error", 1, "a listing of the service goes in circles or does not end"),
  "archive-unavailable": row(
    "retry",
    "error",
    1,
    "the archive cannot keep a dead letter durably, so nothing that needs it is deleted",
  ),
  "plan-invalid": row("crash", "error", 2, "a plan is damaged, edited, of another version or source"),
  "plan-drifted": row("skip", "error", 1, "too much of a frozen plan is gone or decided otherwise now"),
  "plan-refused": row("skip", "info", 3, "a shared plan cannot be made, applied, stopped or removed now"),
  "service-refuses-everything": row(
    "halt",
    "error",
    1,
    "ten single refusals in a row, with no POST in doubt between them and nothing accepted",
  ),
  "request-refused": row("park", "warn", 1, "the service refused a request as invalid"),
  "document-changed": row("retry", "info", 3, "a pass was opened under another drains document"),
  "source-rebound": row(
    "halt",
    "error",
    78,
    "a source id is bound to another address, or another id already drains the account, or may have",
  ),
  "redis-unavailable": row("retry", "error", 1, "Redis could not be reached or did not answer"),
  "redis-unsuitable": row("halt", "error", 1, "Redis is not set up to keep a ledger"),
  "ledger-lost-writes": row("retry", "error", 1, "Redis came back without writes that were acknowledged"),
  "notice-undelivered": row("retry", "warn", 1, "a target of notify could not be reached or took no message"),
  "notice-deferred": row("wait", "debug", 3, "a target of notify has had enough messages for now"),
  "statistics-unavailable": row("retry", "warn", 1, "search index statistics could not be read"),
  stopped: row("skip", "info", 3, "the work was stopped before its end"),
};

export type ErrorCode = keyof typeof errorTable;

export interface ErrorDetail {
  readonly cause?: unknown;
  /** Unix ms before which the caller must not try again (`wait`). */
  readonly retryAt?: number | undefined;
  readonly status?: number | undefined;
  /** It is certain that the service was never asked. */
  readonly notSent?: boolean;
  /** The answer has no documented shape. It may be a proxy's, and the service's own is lost. */
  readonly isForeign?: boolean;
}

/** Messages name expectation, value and the setting to change; never payloads, header values or tokens. */
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

/** Whoever asked has asked for what cannot be meant: expectation, value got, and what to write instead. */
export function misused(message: string, detail?: ErrorDetail): RedriverError {
  return new RedriverError("command-misused", message, detail);
}
export const planRefused = (why: string): RedriverError => new RedriverError("plan-refused", why);

export function isRedriverError(error: unknown): error is RedriverError {
  return error instanceof RedriverError;
}

/** Redis gave no answer, or refused for what a person must change. The write may have happened. */
export function isRedisAway(error: unknown): boolean {
  return isRedisSilent(error) || (isRedriverError(error) && error.code === "redis-unsuitable");
}

/** True if Redis gave no answer, or asks to wait. */
export function isRedisSilent(error: unknown): boolean {
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
  const [place] = framesOf(error);
  return { code: "unexpected", message: place === undefined ? error.name : `${error.name} ${place}` };
}

/** A stack begins with the message, and lines of the message may look like frames. */
export function framesOf({ stack = "", message }: Error): readonly string[] {
  const at = stack.indexOf(message);
  const frames = at < 0 ? "" : stack.slice(at + message.length);
  return frames.split("\n").flatMap((line) => (line.startsWith("    at ") ? [line.trim()] : []));
}
