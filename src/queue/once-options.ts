import type { JobsOptions } from "bullmq";
import type { Job } from "../ports/work-queue.ts";

/**
 * Of a job beside its schedule. Jobs of one second are one. A done job is removed at once: BullMQ adds no job
 * while another of its id is there, be it done or running. Times are Unix ms.
 */
export function onceOptions(kind: Job["kind"], of: string, at: number, now: number): JobsOptions {
  return {
    jobId: `${kind}-once-${of}-${Math.round(at / 1_000)}`,
    delay: Math.max(0, at - now),
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}
