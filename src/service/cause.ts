import { ConnectTimeout } from "./connector.ts";

/** A failed connection's code, such as ECONNREFUSED, else its name. Addresses and values stay in `cause`. */
export function describeCause(cause: unknown): string {
  if (cause instanceof ConnectTimeout) return cause.message;
  if (cause instanceof AggregateError) return describeCause(cause.errors[0]);
  if (!(cause instanceof Error)) return "unknown failure";
  const code = codeOf(cause);
  return code ?? cause.name;
}

const timeoutCodes = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** True when the connection failed because the other side was silent for too long. */
export function isTimeout(cause: unknown): boolean {
  return isConnectTimeoutOrOneOf(cause, timeoutCodes);
}

const connectCodes = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** True without a connection: nothing can have been sent. Any other failure may have come after a request. */
export function isNeverConnected(cause: unknown): boolean {
  return isConnectTimeoutOrOneOf(cause, connectCodes);
}

/** True for our own time limit of a connect, and for `codes`; of several addresses, if each failed so. */
function isConnectTimeoutOrOneOf(cause: unknown, codes: ReadonlySet<string>): boolean {
  if (cause instanceof ConnectTimeout) return true;
  if (cause instanceof AggregateError) {
    return cause.errors.length > 0 && cause.errors.every((error) => isConnectTimeoutOrOneOf(error, codes));
  }
  return cause instanceof Error && codes.has(codeOf(cause) ?? "");
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
