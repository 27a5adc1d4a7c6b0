import { RedriverError } from "../contracts/errors.ts";
import type { Job } from "../contracts/work-queue.ts";

/** Names and ids, each a text that is not empty. */
const fieldsOf: Readonly<Record<Job["kind"], readonly string[]>> = {
  tick: ["drain"],
  window: ["drain", "passId", "windowId"],
  sweep: ["source"],
  census: ["source"],
  statistics: ["index"],
  notices: [],
  digest: ["target"],
  notify: ["target"],
};

/** Reads a job's data as Redis holds it; null when it is not a job of this version. */
export function parseJob(value: unknown): Job | null {
  if (typeof value !== "object" || value === null) return null;
  const { kind, ...given } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== "string" || !Object.hasOwn(fieldsOf, kind)) return null;
  const fields = fieldsOf[kind as Job["kind"]].map((name) => [name, given[name]] as const);
  if (fields.some(([, field]) => typeof field !== "string" || field === "")) return null;
  return { kind, ...Object.fromEntries(fields) } as Job;
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
