import type { Schedule } from "./drains-document.ts";
import type { DrainName, PassId, SourceId } from "./ids.ts";

/** A job carries names and ids. Never a message or a part of one. */
export type Job =
  | { readonly kind: "tick"; readonly drain: DrainName }
  | { readonly kind: "window"; readonly drain: DrainName; readonly passId: PassId; readonly windowId: string }
  | { readonly kind: "sweep"; readonly source: SourceId }
  | { readonly kind: "census"; readonly source: SourceId }
  | { readonly kind: "statistics"; readonly index: string }
  | { readonly kind: "notices" }
  | { readonly kind: "digest"; readonly target: string }
  | { readonly kind: "notify"; readonly target: string };

export interface ScheduledJob {
  /** Unique and stable, e.g. `tick:orders`. */
  readonly id: string;
  readonly schedule: Schedule;
  readonly job: Exclude<Job, { kind: "window" | "notify" }>;
}

export interface JobContext {
  /** Aborts when the work must be handed back or ended. */
  readonly signal: AbortSignal;
  /** The last try of a failing job. A window that fails because of Redis is tried again in any case. */
  readonly lastTry: boolean;
  /** The lock of an earlier run ended while it ran: its process was killed or stood still. Absent: no. */
  readonly hasStalled?: boolean;
}

/** The fate of schedules in Redis that are not among the given. */
export type OtherSchedules = "remove" | "keep";

/**
 * Schedules and jobs on Redis, worked by any replica.
 *
 * A handler that throws a RedriverError is treated by its disposition: `retry` = again with exponential
 * backoff and jitter, `wait` = again at retryAt without spending a try, all others = given up. `stopped` is
 * handed back without spending a try: this process closes, or another document changed the drain.
 * `redis-unavailable` waits for the first backoff, which does not grow, and spends no try. `document-changed`
 * is left to other replicas, also without spending a try. That is for windows; a scheduled job has one try,
 * and its next schedule is the retry. A `notify` has eight tries within about an hour. While closing, a job is handed back if its handler ends by its signal.
 * A job may run twice; handlers are safe against that.
 */
export interface WorkQueue {
  /** Upserts the given and, unless they are to be kept, removes all others. Idempotent across replicas. */
  applySchedules(schedules: readonly ScheduledJob[], others?: OtherSchedules): Promise<void>;
  /** One more tick of a drain at this moment, Unix ms. Of several in one second the first counts. */
  addTick(drain: DrainName, at: number): Promise<void>;
  /** One more sweep of a source, with the same rule. */
  addSweep(source: SourceId, at: number): Promise<void>;
  /** One sweep of a source now, for all that ask within the same `spanMs`: spans are counted from the epoch, rounded. */
  addSweepOf(source: SourceId, at: number, spanMs: number): Promise<void>;
  /**
   * Adds windows from the front until `atOnce` of them wait or run. Absent: all. A window that waits more than a second
   * for its next try does not count. A window that was added before is not added twice, unless its job was given up.
   */
  addWindows(windows: readonly Extract<Job, { kind: "window" }>[], atOnce?: number): Promise<void>;
  /** Sends what waits for these targets of `notify`, unless that is under way or waits for its next try. */
  addNotify(targets: readonly string[]): Promise<void>;
  /** Jobs of each queue at once in this process: one at first, and never fewer than before. Notices: none. */
  allow(max: { readonly short: number; readonly windows: number; readonly notices?: number }): void;
  /**
   * `beforeGivenUp`: called once the tries of a job are spent, or its failure allows no other. If it fails with
   * `redis-unavailable`, the job waits as after any such failure; otherwise it is given up all the same.
   */
  start(
    handle: (job: Job, context: JobContext) => Promise<void>,
    beforeGivenUp?: (job: Job) => Promise<void>,
  ): Promise<void>;
  /** Unix ms of a worker's last answer of Redis, or finished job. An idle one asks every half minute. */
  lastProgressAt(): number | undefined;
  /** Stops taking work; aborts running jobs after softMs; resolves by hardMs, also when Redis is away. */
  close(deadline: { readonly softMs: number; readonly hardMs: number }): Promise<void>;
}
