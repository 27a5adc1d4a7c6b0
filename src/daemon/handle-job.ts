import type { Core } from "../compose/build-core.ts";
import { hasLanes } from "../redrive/lanes/has-lanes.ts";
import type { CoreLease, LiveCore } from "../compose/live-core.ts";
import type { Clock } from "../ports/clock.ts";
import type { IndexConfig } from "../ports/drains.ts";
import { isRedriverError, RedriverError, toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { DrainName, PassId, SourceId } from "../ports/ids.ts";
import { isRecalled, maxLeftShown, type Window } from "../ports/passes.ts";
import type { Job, JobContext, WorkQueue } from "../ports/queue.ts";
import { takeCensus } from "../redrive/census/census.ts";
import { runListingChecks } from "../redrive/lanes/listing-checks.ts";
import { knownOffsetMs, openPass } from "../redrive/pass/open-pass.ts";
import { leftToOthers, workWindow } from "../redrive/pass/work-window.ts";
import { createSweepMemory, sweep, type SweepMemory } from "../redrive/sweep/sweep.ts";
import type { DrainRuntime } from "../redrive/runtime.ts";
import type { PeerReplicas } from "./peer-replicas.ts";
import type { EarlyTicks } from "./early-ticks.ts";
import { createWindowSlots, type WindowSlots } from "./window-slots.ts";

export interface JobParts {
  readonly live: LiveCore;
  readonly queue: Pick<WorkQueue, "addTick" | "addSweep" | "addWindows">;
  readonly earlyTicks: EarlyTicks;
  readonly peers: PeerReplicas;
  readonly events: Events;
  readonly clock: Pick<Clock, "sleep">;
  readonly readStatistics: (index: IndexConfig, signal: AbortSignal) => Promise<void>;
  /** Aborts when no further page may be begun. */
  readonly stopping: AbortSignal;
  /** False while Redis is not fit for a ledger: nothing is begun then. */
  readonly mayAct: () => boolean;
}

/** What this process knows of its looks at sources. */
interface SourceState {
  readonly memories: Map<SourceId, SweepMemory>;
  /** Under way: the next one comes on time, and two at once would only do the same work and keep ticks waiting. */
  readonly sweeping: Set<SourceId>;
  readonly counting: Set<SourceId>;
  /** Drains with a tick that waits for the first answer of its source: one is enough, it opens the pass. */
  readonly asking: Set<DrainName>;
  readonly slots: WindowSlots;
}

/** A window that got no slot comes back so soon, give or take half, at the end of the queue. */
const backAfterMs = 500;

/** What each kind of job does, under the document in force as it begins. A job of something that this document does not have is left alone. */
export function createJobHandler(parts: JobParts): (job: Job, context: JobContext) => Promise<void> {
  const state: SourceState = {
    memories: new Map(),
    sweeping: new Set(),
    counting: new Set(),
    asking: new Set(),
    slots: createWindowSlots(parts.clock),
  };
  const { earlyTicks } = parts;
  return async (job, context) => {
    // A window is tried again: given up, it would keep its pass open until that is taken for abandoned.
    if (!parts.mayAct()) {
      throw new RedriverError("redis-unavailable", "Redis is away or not fit for a ledger now; see /readyz");
    }
    const held = parts.live.acquire();
    try {
      switch (job.kind) {
        case "tick":
          return await tick(parts, earlyTicks, held.core, state, job.drain, context.signal);
        case "window":
          return await window(parts, earlyTicks, held, state, job, context);
        case "sweep":
          return await sweepSource(parts, earlyTicks, held.core, state, job.source, context.signal);
        case "census":
          return await countSource(parts, held.core, state, job.source, context.signal);
        case "statistics":
          return await readIndex(parts, held.core, job.index, context.signal);
      }
    } finally {
      await earlyTicks.afterLosses(held.core);
      await earlyTicks.afterHalts(held.core);
      await earlyTicks.afterLanes(held.core);
      held.release();
    }
  };
}

async function tick(
  parts: JobParts,
  earlyTicks: EarlyTicks,
  core: Core,
  { asking }: SourceState,
  name: DrainName,
  signal: AbortSignal,
): Promise<void> {
  const drain = core.drains.get(name);
  if (drain === undefined || asking.has(name)) return;
  const { health } = drain.source;
  // It has said so already; the drain is woken when it resumes.
  if (health.current().state === "halted") return earlyTicks.heldByHalt(drain, "dlq");
  let opened: Awaited<ReturnType<typeof openPass>>;
  try {
    opened = await openPass(drain, core.settings.passes, signal, async () => {
      asking.add(name);
      try {
        return await knownOffsetMs(drain, signal);
      } finally {
        asking.delete(name);
      }
    });
  } catch (error) {
    if (isRedriverError(error) && error.disposition === "wait" && error.retryAt !== undefined) {
      return earlyTicks.notOpened(name, error.retryAt);
    }
    if (health.current().state === "halted") earlyTicks.heldByHalt(drain, "dlq");
    else if (isUnanswered(error)) await earlyTicks.unanswered(drain);
    throw error;
  }
  if (opened.kind === "opened") earlyTicks.opened(name);
  // Also those of a pass that is open: jobs that exist are not added twice, and those that a crash kept from being added are.
  const passId = opened.kind === "opened" ? opened.pass.passId : opened.passId;
  await workOldest(parts, core, name, passId, opened.windows);
}

/**
 * Lets the oldest windows of a pass be worked: what expires first goes first. No drain has more than half of what the living replicas work
 * on at once, and each window that ends makes room for the next at the end of the queue: so drains take turns.
 */
async function workOldest(
  { queue, peers }: JobParts,
  { settings }: Core,
  drain: DrainName,
  passId: PassId,
  left: readonly Window[],
): Promise<void> {
  const share = Math.max(1, Math.floor(settings.windows.concurrency / 2)) * (await peers.living());
  // One more for what lanes call back, so that it does not wait for the pages of others.
  const atOnce = share + (left.some(({ windowId }) => isRecalled(windowId)) ? 1 : 0);
  await queue.addWindows(toJobs(drain, passId, left.slice(0, maxLeftShown)), atOnce);
}

async function window(
  parts: JobParts,
  earlyTicks: EarlyTicks,
  { core, superseded }: CoreLease,
  { slots }: SourceState,
  job: Extract<Job, { kind: "window" }>,
  { signal, lastTry }: JobContext,
): Promise<void> {
  const { queue, peers, stopping } = parts;
  const drain = core.drains.get(job.drain);
  if (drain === undefined) {
    const { hash } = core.document;
    // Nobody opens another pass of a drain that no replica has, so what is left of this one keeps nobody waiting.
    if (!(await peers.workUnderAnother(hash))) return;
    throw new RedriverError("document-changed", `document ${hash} has no drain ${job.drain}`);
  }
  const { passId, windowId } = job;
  const isCalledElsewhere = (): Promise<boolean> => peers.mayCall(drain.source.config.id, core.document.hash);
  if (isHaltedHere(drain) && (await isCalledElsewhere())) throw leftToOthers(drain.source);
  const { verdict, failedWith } = await inSlot(core, slots, drain, `${passId}/${windowId}`, signal, () =>
    workWindow(drain, {
      passId,
      windowId,
      signal,
      stopping: AbortSignal.any([stopping, superseded(job.drain)]),
      lastTry,
      awaitsRedis: true,
      isWorkedElsewhere: (hash) => peers.workUnder(hash),
      isCalledElsewhere,
      onPage: ({ reasons }) => {
        if ((reasons.due["source-halted"] ?? 0) > 0) earlyTicks.heldByHalt(drain, "batch");
        void earlyTicks.afterDeletes(drain.source);
        // A window may take longer than a lane's watch.
        void earlyTicks.afterLanes(core);
      },
    }),
  );
  if (isRedriverError(failedWith) && failedWith.disposition === "halt") earlyTicks.heldByHalt(drain, "dlq");
  if (isUnanswered(failedWith)) await earlyTicks.unanswered(drain);
  if (verdict.kind === "pass-closed") await earlyTicks.closed(drain, verdict);
  if (verdict.kind === "pass-open") await workOldest(parts, core, job.drain, passId, verdict.left);
  // Its end is noted, and whoever noted it may have died before it let others be worked: a tick does.
  if (verdict.kind === "stale") await queue.addTick(job.drain, drain.source.clock.now());
}

/** Works while it has a slot, which is free again before the next window is added. Throws where none is to be had now. */
async function inSlot<Result>(
  { settings }: Core,
  slots: WindowSlots,
  { source }: DrainRuntime,
  id: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const { clock, config } = source;
  const slot = await slots.take({ id, source: config.id, most: settings.windows.concurrency }, signal);
  if (slot === null) {
    throw new RedriverError("service-resting", `source ${config.id} has its part of this process's windows`, {
      retryAt: clock.now() + backAfterMs * (0.5 + clock.random()),
    });
  }
  try {
    return await work();
  } finally {
    slot.release();
  }
}

/** For what this drain does: in plan mode nothing is published. */
function isHaltedHere({ source, config }: DrainRuntime): boolean {
  return source.health.current(config.mode === "live" ? "batch" : "dlq").state === "halted";
}

/** A failure of the service that is over when it answers. */
function isUnanswered(error: unknown): boolean {
  return isRedriverError(error) && (error.code === "service-unavailable" || error.code === "service-timeout");
}

function toJobs(
  drain: DrainName,
  passId: PassId,
  windows: readonly Window[],
): readonly Extract<Job, { kind: "window" }>[] {
  return windows.map(({ windowId }) => ({ kind: "window", drain, passId, windowId }));
}

/**
 * A rest as after a 429 with a limit per second: the sweep waits for its end in place, because by then passes
 * have used up the next calls.
 */
const shortRestMs = 5_000;
const sweptAgainWithinMs = 1_000;

async function sweepSource(
  { events, stopping }: JobParts,
  earlyTicks: EarlyTicks,
  core: Core,
  { memories, sweeping }: SourceState,
  id: SourceId,
  signal: AbortSignal,
): Promise<void> {
  const source = core.sources.get(id)?.runtime;
  if (source === undefined) return;
  const now = source.health.current();
  const isLeftAlone = now.state === "waiting" && now.until - source.clock.now() > shortRestMs;
  if (now.state === "halted" || isLeftAlone) return earlyTicks.afterDeletes(source);
  const memory = memories.get(id) ?? createSweepMemory(source.clock);
  memories.set(id, memory);
  if (sweeping.has(id)) {
    // Asked for by a page that has left something after the one under way had looked.
    source.sweepRequest.within(sweptAgainWithinMs);
    return;
  }
  sweeping.add(id);
  const report = (error: unknown): void => {
    events.emit({ type: "sweep:failed", source: id, ...toFailure(error) });
  };
  try {
    // Side by side: neither waits for the listings of the other, or fails with it.
    const looked = hasLanes(core.drains, source) ? runListingChecks(source, signal) : Promise.resolve();
    await Promise.all([
      looked.catch(report),
      sweep(source, core.drains, memory, signal, stopping).catch(report),
    ]);
  } finally {
    sweeping.delete(id);
    await earlyTicks.afterDeletes(source);
  }
}

async function countSource(
  { events, stopping }: JobParts,
  core: Core,
  { counting }: SourceState,
  id: SourceId,
  signal: AbortSignal,
): Promise<void> {
  const source = core.sources.get(id);
  if (source === undefined || source.runtime.health.current().state !== "usable" || counting.has(id)) return;
  counting.add(id);
  try {
    const { document, archive } = core;
    const drains = document.drains.filter((drain) => drain.source.id === id);
    const order = { source: source.runtime, drains, documentHash: document.hash, archive };
    await takeCensus(order, { signal, stopping });
  } catch (error) {
    // Stopped with the process: the next one counts.
    if (!stopping.aborted && !signal.aborted) {
      events.emit({ type: "census:failed", source: id, ...toFailure(error) });
    }
  } finally {
    counting.delete(id);
  }
}

async function readIndex(
  { readStatistics }: JobParts,
  { document }: Core,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const index = document.indexes.find((one) => one.name === name);
  if (index !== undefined) await readStatistics(index, signal);
}
