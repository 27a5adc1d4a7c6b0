import { RedriverError, isRedriverError } from "../ports/errors.ts";

/** Server replies that end when Redis is well again; the command did nothing. */
const passing = [
  "LOADING",
  "MASTERDOWN",
  "READONLY",
  "TRYAGAIN",
  "CLUSTERDOWN",
  "BUSY",
  "OOM",
  "MISCONF",
  "NOREPLICAS",
  "UNBLOCKED",
];

/**
 * An error of the client or a reply of the server → RedriverError. `redis-unavailable` when waiting can help (no connection, no
 * answer in time, loading, read-only, out of memory); `redis-unsuitable` when a person must act (login, permissions, an
 * unknown command); `invariant-broken` for a script that failed. Messages name host and command, never arguments.
 */
export function toRedisError(error: unknown, address: string, command: string): RedriverError {
  if (isRedriverError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const word = /^[A-Z]+/.exec(text)?.[0] ?? "";
  const isReply = error instanceof Error && error.name === "ReplyError";
  if (word === "NOAUTH" || word === "WRONGPASS" || word === "NOPERM" || word === "DENIED") {
    return new RedriverError(
      "redis-unsuitable",
      `Redis at ${address} refused ${command}: ${word}; give redis.url a user that may use keys, scripts and INFO`,
      { cause: error },
    );
  }
  if (isReply && word === "NOSCRIPT") {
    return new RedriverError("redis-unavailable", `Redis at ${address} does not know the script`, {
      cause: error,
    });
  }
  if (isReply && !passing.includes(word)) {
    return new RedriverError(
      "invariant-broken",
      `Redis at ${address} failed ${command}: ${word || "error"}`,
      {
        cause: error,
      },
    );
  }
  return new RedriverError(
    "redis-unavailable",
    `Redis at ${address} did not answer ${command}: ${isReply ? word : shortReason(error)}; see redis.url`,
    { cause: error },
  );
}

function shortReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  if (/timed out/i.test(error.message)) return "timeout";
  if (/max retries/i.test(error.message)) return "connection lost";
  return "not connected";
}
