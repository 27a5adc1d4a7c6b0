import type { JobsOptions } from "bullmq";
import type { Job } from "../contracts/work-queue.ts";
import { keepShort } from "./policy.ts";

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

/** Of a job that is one for a whole span: it is kept when done, so that adding it again in this span changes nothing. */
export function spanOptions(kind: Job["kind"], of: string, at: number, spanMs: number): JobsOptions {
  return {
    ...keepShort,
    jobId: `${kind}-of-${of}-${Math.round(at / spanMs)}`,
    attempts: 1,
    stackTraceLimit: 0,
  };
}
