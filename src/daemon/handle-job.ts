import type { Core } from "../compose/build-core.ts";
import { RedriverError, toFailure } from "../ports/errors.ts";
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
  /** False while Redis is not fit for a ledger: nothing is begun then. */
  readonly mayAct: () => boolean;
}

/** What this process knows of its sweeps. */
interface SweepState {
  readonly memories: Map<SourceId, SweepMemory>;
  readonly sweeping: Set<SourceId>;
}

/** What each kind of job does. A job of a drain, source or index that this document does not have is left alone. */
export function createJobHandler(parts: JobParts): (job: Job, context: JobContext) => Promise<void> {
  const sweeps: SweepState = { memories: new Map(), sweeping: new Set() };
  return async (job, context) => {
    // A window is tried again: given up, it would keep its pass open until that is taken for abandoned.
    if (!parts.mayAct()) {
      throw new RedriverError("redis-unavailable", "Redis is away or not fit for a ledger now; see /readyz");
    }
    switch (job.kind) {
      case "tick":
        return tick(parts, job.drain, context.signal);
      case "window":
        return window(parts, job, context);
      case "sweep":
        return sweepSource(parts, sweeps, job.source, context.signal);
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
  // Also those of a pass that is open: jobs that exist are not added twice, and those that a crash kept from being added are.
  const passId = opened.kind === "opened" ? opened.pass.passId : opened.passId;
  await queue.addWindows(toJobs(name, passId, opened.windows));
}

async function window(
  { core, queue, stopping }: JobParts,
  job: Extract<Job, { kind: "window" }>,
  { signal, lastTry }: JobContext,
): Promise<void> {
  const drain = core.drains.get(job.drain);
  if (drain === undefined) {
    throw new RedriverError("document-changed", `this replica's drains document has no drain ${job.drain}`);
  }
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
  { memories, sweeping }: SweepState,
  id: SourceId,
  signal: AbortSignal,
): Promise<void> {
  const source = core.sources.get(id)?.runtime;
  if (source === undefined || source.health.current().state !== "usable") return;
  const memory = memories.get(id) ?? createSweepMemory(source.clock);
  memories.set(id, memory);
  // The next one comes on time; two at once would only do the same work and keep ticks waiting.
  if (sweeping.has(id)) return;
  sweeping.add(id);
  try {
    await sweep(source, core.drains, memory, signal);
  } catch (error) {
    events.emit({ type: "sweep:failed", source: id, ...toFailure(error) });
  } finally {
    sweeping.delete(id);
  }
}
