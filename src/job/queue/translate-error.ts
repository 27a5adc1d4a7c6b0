import {
  isRedriverError,
  RedriverError,
  toFailure,
  type ErrorCode,
  type Failure,
} from "../contracts/errors.ts";
import { findRefusal } from "../redis/translate-error.ts";

/** The connection is gone or silent. */
const connectionWords =
  /ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|Connection is closed|Socket timeout|enableOfflineQueue|max retries per request|All sentinels are unreachable/i;

/** One command had no answer, or the nodes of a cluster are looked for. */
const noAnswerWords =
  /^(Command timed out|Cluster is disconnect|None of startup nodes|Failed to refresh slots|No master node|Node is disconnected|Too many Cluster redirections)/;

/** What the library says of a job, before its id. The words behind are names of its commands. */
const libraryWords: readonly (readonly [RegExp, ErrorCode])[] = [
  // Redis had given the job out and has it no more, so it lost a write. The other way there is takes long:
  // another replica took the job over, did it, and it was forgotten, all while this process stood still.
  [/^Missing key for (parent )?job /, "ledger-lost-writes"],
  // Another replica has it by now.
  [/^(Missing lock for|Lock mismatch for|could not renew lock for) job /, "stopped"],
  [/^Job \S+ is not in the \S+ state/, "stopped"],
  // Another replica made the next iteration of this schedule; the one that was taken comes back.
  [/^Cannot create job scheduler iteration/, "stopped"],
];

/** How the library reports that it could not make the next iteration of a schedule. */
const iterationWords = /^Failed to add repeatable job for next iteration: /;

/** How a refusal of Redis begins. */
const replyWord = /^[A-Z]{2,}(?= )/;

/** Whether an error of the library only means that there is no connection. */
export function saysOnlyAway(error: Error): boolean {
  return connectionWords.test(`${(error as NodeJS.ErrnoException).code ?? ""} ${error.message}`);
}

/** An error that a worker or a queue emitted → what is reported. `unexpected` is a fault in the code. */
export function toQueueFailure(error: Error): Failure {
  if (isRedriverError(error)) return toFailure(error);
  const text = error.message.replace(iterationWords, "");
  const isReply = error.name === "ReplyError" || (text !== error.message && replyWord.test(text));
  const known = libraryWords.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return { code: known[1], message: text };
  const refusal = findRefusal(text);
  if (refusal !== null) return { code: refusal.code, message: toReason(refusal) };
  if (isReply) {
    const message = `Redis failed a script: ${replyWord.exec(text)?.[0] ?? "error"}`;
    return { code: "redis-unavailable", message };
  }
  if (noAnswerWords.test(text) || saysOnlyAway(error)) {
    return { code: "redis-unavailable", message: `Redis did not answer: ${text}` };
  }
  return toFailure(error);
}

/**
 * What a call that adds jobs or schedules failed with: `redis-unsuitable` where a person must act, else
 * `redis-unavailable`.
 */
export function toCallError(error: unknown, what: string): RedriverError {
  if (isRedriverError(error)) return error;
  const refusal = findRefusal(error instanceof Error ? error.message : "");
  const code = refusal?.code ?? "redis-unavailable";
  const why = refusal === null ? "Redis refused or the connection broke; see redis.url" : toReason(refusal);
  return new RedriverError(code, `${what}: ${why}`, { cause: error });
}

function toReason({ word, fix }: { readonly word: string; readonly fix: string }): string {
  return `Redis refused: ${word}; ${fix}`;
}
