import { RedriverError } from "../contracts/errors.ts";
import type { DrainName, PassId, SourceId } from "../contracts/ids.ts";
import type { Job } from "../contracts/work-queue.ts";

/** Reads a job's data as Redis holds it; null when it is not a job of this version. */
export function parseJob(value: unknown): Job | null {
  if (typeof value !== "object" || value === null) return null;
  const { kind, drain, passId, windowId, source, index, target } = value as Record<string, unknown>;
  switch (kind) {
    case "tick":
      return isText(drain) ? { kind, drain: drain as DrainName } : null;
    case "window":
      return isText(drain) && isText(passId) && isText(windowId)
        ? { kind, drain: drain as DrainName, passId: passId as PassId, windowId }
        : null;
    case "sweep":
    case "census":
      return isText(source) ? { kind, source: source as SourceId } : null;
    case "statistics":
      return isText(index) ? { kind, index } : null;
    case "notices":
      return { kind };
    case "digest":
    case "notify":
      return isText(target) ? { kind, target } : null;
    default:
      return null;
  }
}

/** Only the fields of the union, whatever else the object carries: nothing of a message can ride along into Redis. */
export function toJobData(job: Job): Job {
  const data = parseJob(job);
  if (data === null)
    throw new RedriverError("invariant-broken", `expected every field of a job, got ${job.kind}`);
  return data;
}

/**
 * One id per window of a pass, so that adding it twice adds it once. BullMQ refuses ids that are integers or
 * contain ':'; the parts are percent-encoded, so neither contains ':' or the '/' between them.
 */
export function toWindowJobId(job: Extract<Job, { kind: "window" }>): string {
  return `window/${encodeURIComponent(job.passId)}/${encodeURIComponent(job.windowId)}`;
}

/** One per target: while it is there, no second one sends to it. */
export function toNotifyJobId({ target }: Extract<Job, { kind: "notify" }>): string {
  return `notify/${encodeURIComponent(target)}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
