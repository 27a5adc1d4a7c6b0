import type { JobsOptions } from "bullmq";
import type { Job } from "../contracts/work-queue.ts";
import type { QueueKind } from "../redis/key-prefix.ts";

/** All tries, the first included, and how long they wait in between. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
}

/** 8 tries wait 30 s, 1, 2, 4, 8, 16 and 30 min, less up to half of each as jitter: half an hour to an hour. */
export const noticeRetry: RetryPolicy = { attempts: 8, baseMs: 30_000, capMs: 30 * 60_000 };

/** How a crashed replica's jobs come back. */
export interface LockPolicy {
  readonly durationMs: number;
  readonly stalledIntervalMs: number;
}

/**
 * 8 tries wait 5, 10, 20 and four times 30 s, less up to half of each as jitter: an outage of one to two and
 * a half minutes. No wait is longer than 30 s, so that a window comes back soon after what failed it has:
 * within the takeover (60 s), like what was begun.
 */
export const defaultRetry: RetryPolicy = { attempts: 8, baseMs: 5_000, capMs: 30_000 };

/**
 * A killed replica's window runs again after the lock (15 s) and at most two checks for stalled jobs (2 × 7.5 s):
 * within 30 s.
 */
export const defaultLock: LockPolicy = { durationMs: 15_000, stalledIntervalMs: 7_500 };

/**
 * A job that took its process down this often is given up. Counted by the processor from the job's own
 * stalled counter: BullMQ's maxStalledCount does not apply to scheduled iterations, and maxStartedAttempts
 * also counts waits and hand-backs. A window is never given up for it: its workers may have been killed from
 * outside, and the pass book counts what it needs to find a record that ends them.
 */
export const maxStalls: Readonly<Record<QueueKind, number>> = {
  short: 3,
  windows: Number.MAX_SAFE_INTEGER,
  notices: 3,
};

/** How long one call that adds jobs or schedules may take. */
export const callTimeoutMs = 10_000;

/** After Redis refused a worker's call; BullMQ's own 15 s would be a stall after Redis is well again. */
export const refusedRestMs = 1_000;

/** A window that was put back for no longer than this waits for its turn, not for something to be over. */
export const shortWaitMs = 1_000;

/** BullMQ trims its event stream to this; nothing here reads it. */
export const maxEvents = 1_000;

export const oneTry = { attempts: 1, stackTraceLimit: 0 };

/** About 500 bytes a job. Ages in seconds: an hour of the done ones, a day of the failed ones. */
export const keepShort = {
  removeOnComplete: { age: 3_600, count: 100 },
  removeOnFail: { age: 86_400, count: 200 },
};

/** A done window is also what makes adding it again a no-op, so more of them are kept: 5,000 are about 2.5 MB. */
export const keepWindows = {
  removeOnComplete: { age: 3_600, count: 5_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/**
 * Of a job beside its schedule. Jobs of one second are one. A done job is removed at once: BullMQ adds no job
 * while another of its id is there, be it done or running. Times are Unix ms.
 */
export function onceOptions(kind: Job["kind"], of: string, at: number, now: number): JobsOptions {
  return {
    ...oneTry,
    jobId: `${kind}-once-${of}-${Math.round(at / 1_000)}`,
    delay: Math.max(0, at - now),
    removeOnComplete: true,
    removeOnFail: true,
  };
}

/** Of a job that is one for a whole span: it is kept when done, so that adding it again in this span changes nothing. */
export function spanOptions(kind: Job["kind"], of: string, at: number, spanMs: number): JobsOptions {
  return { ...oneTry, ...keepShort, jobId: `${kind}-of-${of}-${Math.round(at / spanMs)}` };
}

/**
 * Milliseconds before try `attemptsMade` + 1 (attemptsMade ≥ 1): exponential, capped, and between half and
 * all of that. `random` is in [0, 1).
 */
export function toBackoffMs(attemptsMade: number, policy: RetryPolicy, random: number): number {
  const wholeMs = Math.min(policy.baseMs * 2 ** (attemptsMade - 1), policy.capMs);
  return Math.round(wholeMs * (0.5 + random / 2));
}
