import { DelayedError, UnrecoverableError, WaitingError, type Job as StoredJob } from "bullmq";
import type { Clock } from "../contracts/clock.ts";
import type { Events } from "../contracts/events.ts";
import type { Job, JobContext } from "../contracts/work-queue.ts";
import { BoundedSet } from "../../bounded-map.ts";
import { parseJob } from "./job-data.ts";
import { isRedisAway, isRedisSilent, RedriverError, toFailure, type Failure } from "../contracts/errors.ts";
import { toJobEnd, type JobEnd } from "./failed-job-end.ts";
import type { QueueKind } from "../redis/key-prefix.ts";
import { createFailureThrottle } from "./failure-report-throttle.ts";
import { maxStalls, toBackoffMs, type RetryPolicy } from "./policy.ts";
import type { RunningJobs } from "./shutdown.ts";
import { toQueueFailure } from "./translate-error.ts";

/** The reason with which a worker's signal is aborted when Redis gave the job's lock to somebody else. */
export const lockLost = "lock-lost";

/** Forgotten jobs only come back sooner. */
const maxLeft = 1_000;
/** The pause after a job that was left to others, long enough for one to take it: 40 jobs a second. */
const leftPauseMs = 25;
/** And after one that was left twice with none of ours in between: all waiting jobs were seen. */
const leftAgainPauseMs = 1_000;
/** How soon a job is moved again that Redis did not let move. */
const moveAgainMs = 1_000;

interface Processing {
  readonly queue: QueueKind;
  readonly handle: (job: Job, context: JobContext) => Promise<void>;
  readonly beforeGivenUp: (job: Job) => Promise<void>;
  readonly running: RunningJobs;
  readonly clock: Pick<Clock, "now" | "monotonic" | "random" | "sleep">;
  readonly events: Events;
  readonly retry: RetryPolicy;
  /** Never throws. */
  readonly onError: (error: Error) => void;
  readonly progress: () => void;
  readonly pause: (ms: number) => void;
}

/** What only a person can mend in Redis ends a job as an outage does: it is mended while the job waits. */
function toOutage(error: unknown): unknown {
  if (!isRedisAway(error) || isRedisSilent(error)) return error;
  return new RedriverError("redis-unavailable", "Redis refused", { cause: error });
}

/**
 * Runs one job: parse, refuse what crashed too often, hand to the handler, translate how it ended.
 * BullMQ hands over the signal only to a function that declares all three parameters.
 */
export function createProcessor(processing: Processing) {
  const { queue, handle, beforeGivenUp, running, clock, events, retry, onError, progress, pause } =
    processing;
  const mayReport = createFailureThrottle(clock);
  /** Jobs that this process left to others since it last did one of its own. */
  const left = new BoundedSet<string>(maxLeft);

  const tell = (kind: string, failure: Failure, givenUp: boolean): void =>
    events.emit({ type: "job:failed", kind, ...failure, givenUp });

  /** Redis keeps the message of this error, so it is the code alone; the event has the rest. */
  function giveUp(kind: string, failure: Failure): UnrecoverableError {
    tell(kind, failure, true);
    return new UnrecoverableError(failure.code);
  }

  /**
   * Moves a running job. While Redis takes no writes, the move is repeated and the lock kept alive. If the job is no
   * longer ours, or this process stops, the check for stalled jobs brings it back. A thrown error would count as a failed
   * try, and its text would be written into Redis.
   */
  async function move(make: () => Promise<unknown>, outer: AbortSignal | undefined): Promise<void> {
    for (;;) {
      try {
        await make();
        return;
      } catch (error) {
        const failed = error instanceof Error ? error : new Error("a job was not moved", { cause: error });
        onError(failed);
        const { code } = toQueueFailure(failed);
        const isAway = code === "redis-unavailable" || code === "redis-unsuitable";
        if (!isAway || running.stopping() || outer?.aborted === true) throw new WaitingError();
        await clock.sleep(moveAgainMs, outer).catch(() => undefined);
      }
    }
  }

  /** If Redis fails what has to be done before, the job is not given up yet. */
  async function endOf(job: Job, end: JobEnd, redisWaitMs: number): Promise<JobEnd> {
    if (end.kind !== "give-up") return end;
    try {
      await beforeGivenUp(job);
    } catch (error) {
      if (isRedisAway(error)) return { kind: "wait", until: clock.now() + redisWaitMs };
    }
    return end;
  }

  async function work(stored: StoredJob<unknown>, token: string, outer: AbortSignal | undefined) {
    const job = parseJob(stored.data);
    if (job === null) {
      throw giveUp("unknown", { code: "unexpected", message: "expected a job of this version in its data" });
    }
    if (stored.stalledCounter >= maxStalls[queue]) {
      const message = `its process ended ${stored.stalledCounter} times while it ran`;
      throw giveUp(job.kind, { code: "unexpected", message });
    }
    const tries = stored.opts.attempts ?? 1;
    const lastTry = stored.attemptsMade + 1 >= tries;
    try {
      await running.run(outer, (signal) =>
        handle(job, { signal, lastTry, hasStalled: stored.stalledCounter > 0 }),
      );
      left.clear();
    } catch (error) {
      // The job is another worker's by now: whatever is done to it here would be done to that worker's run.
      if (outer?.reason === lockLost) throw new WaitingError();
      const redisWaitMs = toBackoffMs(1, retry, clock.random());
      const at = { queue, stopping: running.stopping(), now: clock.now(), redisWaitMs };
      const first = toJobEnd(toOutage(error), at);
      const isSpent = first.kind === "retry" && lastTry;
      const end = await endOf(job, isSpent ? { kind: "give-up" } : first, redisWaitMs);
      switch (end.kind) {
        case "hand-back":
          await move(() => stored.moveToWait(token), outer);
          throw new WaitingError();
        case "wait":
          // All windows that are taken meanwhile fail so.
          if (isRedisAway(error) && mayReport(toFailure(error).code)) tell(job.kind, toFailure(error), false);
          await move(() => stored.moveToDelayed(end.until, token), outer);
          throw new DelayedError();
        case "leave": {
          // To the back, so that this worker comes to the jobs behind it. It pauses, because otherwise it
          // would be the first to get the same job again.
          const id = stored.id ?? "";
          const isLeftAgain = left.delete(id);
          if (!isLeftAgain) left.add(id);
          pause(isLeftAgain ? leftAgainPauseMs : leftPauseMs);
          await move(() => stored.moveToDelayed(clock.now(), token), outer);
          throw new DelayedError();
        }
        case "give-up":
          throw giveUp(job.kind, toFailure(error));
        case "retry":
          tell(job.kind, toFailure(error), false);
          throw new Error(toFailure(error).code, { cause: error });
      }
    }
  }

  return async (
    stored: StoredJob<unknown>,
    token: string | undefined,
    outer: AbortSignal | undefined,
  ): Promise<void> => {
    progress();
    try {
      await work(stored, token ?? "", outer);
    } finally {
      progress();
    }
  };
}
