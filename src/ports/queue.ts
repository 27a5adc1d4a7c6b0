import type { Schedule } from "./drains.ts";
import type { DrainName, PassId, SourceId } from "./ids.ts";

/** What a job may carry: a range, a selection, or ids. Never a message or a part of one. */
export type Job =
  | { readonly kind: "tick"; readonly drain: DrainName }
  | { readonly kind: "window"; readonly drain: DrainName; readonly passId: PassId; readonly windowId: string }
  | { readonly kind: "sweep"; readonly source: SourceId }
  | { readonly kind: "census"; readonly source: SourceId }
  | { readonly kind: "statistics"; readonly index: string };

export interface ScheduledJob {
  /** Unique and stable, e.g. `tick:orders`. */
  readonly id: string;
  readonly schedule: Schedule;
  readonly job: Exclude<Job, { kind: "window" }>;
}

export interface JobContext {
  /** Aborts when the work must be handed back or ended. */
  readonly signal: AbortSignal;
  /** True on the last try of a failing job; a window that Redis fails is tried again all the same. */
  readonly lastTry: boolean;
}

/** What becomes of schedules that are in Redis and not among the given. */
export type OtherSchedules = "remove" | "keep";

/**
 * Schedules and jobs on Redis, worked by any replica. A handler that throws a RedriverError is treated by its
 * disposition: `retry` = again with exponential backoff and jitter, `wait` = again at retryAt without
 * spending a try, all others = given up; `redis-unavailable` is `retry` without backoff and without spending
 * a try; `document-changed` is left to other replicas, also without. That is for windows; a scheduled job has
 * one try, and its next schedule is the retry. While closing, a job whose handler ends by its signal is
 * handed back. A job may run twice; handlers are safe against that.
 */
export interface WorkQueue {
  /** Upserts the given and, unless they are to be kept, removes all others. Idempotent across replicas. */
  applySchedules(schedules: readonly ScheduledJob[], others?: OtherSchedules): Promise<void>;
  /** One more tick of a drain at this moment, Unix ms; of several for one second the first stands. */
  addTick(drain: DrainName, at: number): Promise<void>;
  /** One more sweep of a source, alike. */
  addSweep(source: SourceId, at: number): Promise<void>;
  /**
   * Adds those from the front until `atOnce` of them wait or run; one that waits for more than a second
   * before it is tried again is not among these. Absent: all. One that was added before is not added twice.
   */
  addWindows(windows: readonly Extract<Job, { kind: "window" }>[], atOnce?: number): Promise<void>;
  /** How many jobs of each queue this process may have in hand at once; never fewer than before. */
  allow(max: { readonly short: number; readonly windows: number }): void;
  start(handle: (job: Job, context: JobContext) => Promise<void>): Promise<void>;
  /** Unix ms at which a worker last took or finished a job; what liveness goes by. */
  lastProgressAt(): number | undefined;
  /** Stops taking work; aborts running jobs after softMs; resolves by hardMs, also when Redis is away. */
  close(deadline: { readonly softMs: number; readonly hardMs: number }): Promise<void>;
}
