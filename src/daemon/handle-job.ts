import type { Core } from "../compose/build-core.ts";
import { toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { DrainName, PassId, SourceId } from "../ports/ids.ts";
import type { Window } from "../ports/passes.ts";
import type { Job, JobContext, WorkQueue } from "../ports/queue.ts";
import { openPass, workWindow } from "../redrive/run-pass.ts";
import { createSweepMemory, sweep, type SweepMemory } from "../redrive/sweep.ts";

export interface JobParts {
  readonly core: Core;
  readonly queue: Pick<WorkQueue, "addWindows">;
  readonly events: Events;
  readonly readStatistics: (index: string, signal: AbortSignal) => Promise<void>;
  /** Aborts when no further page may be begun. */
  readonly stopping: AbortSignal;
}

/** What each kind of job does. A job of a drain, source or index that this document does not have is left alone. */
export function createJobHandler(parts: JobParts): (job: Job, context: JobContext) => Promise<void> {
  const memories = new Map<SourceId, SweepMemory>();
  return async (job, context) => {
    switch (job.kind) {
      case "tick":
        return tick(parts, job.drain, context.signal);
      case "window":
        return window(parts, job, context);
      case "sweep":
        return sweepSource(parts, memories, job.source, context.signal);
      case "statistics":
        return parts.readStatistics(job.index, context.signal);
    }
  };
}

async function tick({ core, queue }: JobParts, name: DrainName, signal: AbortSignal): Promise<void> {
  const drain = core.drains.get(name);
  // A halted or rate limited source has said so already; its next tick asks again.
  if (drain === undefined || drain.source.health.current().state !== "usable") return;
  const opened = await openPass(drain, core.settings.passes, signal);
  if (opened.kind === "opened") await queue.addWindows(toJobs(name, opened.pass.passId, opened.windows));
}

async function window(
  { core, queue, stopping }: JobParts,
  job: Extract<Job, { kind: "window" }>,
  { signal, lastTry }: JobContext,
): Promise<void> {
  const drain = core.drains.get(job.drain);
  if (drain === undefined) return;
  const { passId, windowId } = job;
  const { split } = await workWindow(drain, { passId, windowId, signal, stopping, lastTry });
  if (split.length > 0) await queue.addWindows(toJobs(job.drain, passId, split));
}

function toJobs(
  drain: DrainName,
  passId: PassId,
  windows: readonly Window[],
): readonly Extract<Job, { kind: "window" }>[] {
  return windows.map(({ windowId }) => ({ kind: "window", drain, passId, windowId }));
}

async function sweepSource(
  { core, events }: JobParts,
  memories: Map<SourceId, SweepMemory>,
  id: SourceId,
  signal: AbortSignal,
): Promise<void> {
  const source = core.sources.get(id)?.runtime;
  if (source === undefined || source.health.current().state !== "usable") return;
  const memory = memories.get(id) ?? createSweepMemory();
  memories.set(id, memory);
  try {
    await sweep(source, core.drains, memory, signal);
  } catch (error) {
    events.emit({ type: "sweep:failed", source: id, ...toFailure(error) });
  }
}
