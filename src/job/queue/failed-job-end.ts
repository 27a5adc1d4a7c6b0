import { isRedisSilent, isRedriverError } from "../contracts/errors.ts";
import type { QueueKind } from "../redis/key-prefix.ts";

/**
 * What becomes of a job after its handler threw. `hand-back`: to the front of the queue for another replica. `wait`:
 * again at `until`, Unix ms. `leave`: another replica's to work, to the back of the queue. These spend no try. `retry`:
 * again after the backoff, until the tries are spent.
 */
export type JobEnd =
  | { readonly kind: "hand-back" | "leave" | "retry" | "give-up" }
  | { readonly kind: "wait"; readonly until: number };

/** Of a `wait` without a retryAt; and the least of any, because a retryAt in the past must not make a hot loop. */
const waitDefaultMs = 30_000;
const waitLeastMs = 250;

interface JobMoment {
  readonly queue: QueueKind;
  /** The job's signal was aborted by a shutdown. */
  readonly stopping: boolean;
  readonly now: number;
  /** How long a window waits that Redis failed: the first backoff, jittered. */
  readonly redisWaitMs: number;
}

/**
 * Reads the disposition of a handler's error. Scheduled jobs never wait in Redis: their next schedule is the
 * retry, and a source that waits an hour would pile up an hour of iterations. A window that Redis failed
 * spends no try: it was taken from Redis, so Redis is there or soon is. A backoff that grew while Redis was
 * away would keep the window waiting when it is back.
 */
export function toJobEnd(error: unknown, at: JobMoment): JobEnd {
  if (!isRedriverError(error)) return at.stopping ? { kind: "hand-back" } : { kind: "retry" };
  // This process closes, or another document changed the drain. Any replica may work the job then.
  if (error.code === "stopped") return { kind: "hand-back" };
  if (error.code === "document-changed" && at.queue !== "short" && !at.stopping) return { kind: "leave" };
  if (isRedisSilent(error) && at.queue !== "short" && !at.stopping) {
    return { kind: "wait", until: at.now + at.redisWaitMs };
  }
  const { disposition } = error;
  switch (disposition) {
    case "retry":
      return at.stopping ? { kind: "hand-back" } : { kind: "retry" };
    case "skip":
      return at.stopping ? { kind: "hand-back" } : { kind: "give-up" };
    case "wait":
      if (at.queue === "short") return { kind: "give-up" };
      return { kind: "wait", until: Math.max(error.retryAt ?? at.now + waitDefaultMs, at.now + waitLeastMs) };
    // A park is about a single message and ends inside a stage; a job that ends so has no next try.
    case "park":
    case "halt":
    case "crash":
      return { kind: "give-up" };
    default:
      return disposition satisfies never;
  }
}
