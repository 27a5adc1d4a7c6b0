/**
 * The work of each kind of job, under the document in force as it begins.
 *
 *   tick ─► opens a pass ─► adds the jobs of its oldest windows, or ends it if it lists nothing
 *   window ─► works its slice in a slot of its source ─► adds the next windows, or closes the pass
 *   sweep ─► listing checks of lanes, beside reconcile and settle
 *   census ─► counts a source      statistics ─► reads an index
 *   notices, digest ─► write down what people are to be told ─► notify ─► sends it
 *   a pass's end ─► the first count of its source, if there is none yet
 *   any job's end ─► early ticks for records that a loss, a halt or a lane has held
 *
 * A job of something that the document does not have does nothing. Its windows are left to replicas under
 * other documents.
 */
import { hasLanes } from "../contracts/lanes.ts";
import type { CoreLease, LiveCore } from "../compose/live-core.ts";
import type { Clock } from "../contracts/clock.ts";
import type { IndexConfig } from "../contracts/drains-document.ts";
import { isRedriverError, RedriverError, toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { DrainName, PassId, SourceId } from "../contracts/ids.ts";
import { isRecalled, type CloseVerdict, type OpenVerdict, type Window } from "../contracts/passes.ts";
import type { Job, JobContext, WorkQueue } from "../contracts/work-queue.ts";
import { runListingChecks } from "../lanes/listing-checks.ts";
import { openPass } from "../pass/open-pass.ts";
import { knownOffsetMs } from "../pass/service-clock-offset.ts";
import { abandonWindow, endEmptyWindow, leftToOthers, workWindow } from "../pass/work-window.ts";
import type { DrainRuntime } from "../runtime.ts";
import { createSweepMemory, sweep, type SweepMemory } from "../sweep/sweep.ts";
import { countIfNever, countSource } from "./count-source.ts";
import type { EarlyTicks } from "./early-ticks.ts";
import type { PeerReplicas } from "./peer-replicas.ts";
import type { NoticeJobs } from "./people-beside.ts";
import { createWindowSlots, type WindowSlot } from "./window-slots.ts";

export interface JobParts {
  readonly live: LiveCore;
  readonly queue: Pick<WorkQueue, "addTick" | "addSweep" | "addWindows" | "addNotify">;
  readonly earlyTicks: EarlyTicks;
  readonly peers: PeerReplicas;
  readonly events: Events;
  readonly clock: Pick<Clock, "sleep">;
  readonly readStatistics: (index: IndexConfig, signal: AbortSignal) => Promise<void>;
  readonly notices: NoticeJobs;
  /** Aborts when no further page may be begun. */
  readonly stopping: AbortSignal;
  /** False while Redis is not fit for a ledger: nothing is begun then. */
  readonly mayAct: () => boolean;
  readonly onPage?: (drain: DrainName) => void;
}

type JobState = ReturnType<typeof createJobState>;

function createJobState(clock: Pick<Clock, "sleep">) {
  return {
    sweepMemories: new Map<SourceId, SweepMemory>(),
    /** Sources with a sweep under way. A second one would repeat its work; the next comes on time. */
    sweeping: new Set<SourceId>(),
    counting: new Set<SourceId>(),
    postponed: new Set<SourceId>(),
    counted: new Set<SourceId>(),
    /** Drains with a tick that waits for the first answer of its source: one is enough, it opens the pass. */
    asking: new Set<DrainName>(),
    slots: createWindowSlots(clock),
    /** How many windows of a drain all replicas work on at once, as last known. */
    places: new Map<DrainName, number>(),
  };
}

type Passing = Pick<Work, "queue" | "peers" | "core" | "places" | "earlyTicks">;
type Work = JobParts & JobState & JobContext & Pick<CoreLease, "core" | "superseded">;

export function createJobHandler(parts: JobParts) {
  const { live, earlyTicks, mayAct } = parts;
  const state = createJobState(parts.clock);
  const handle = async (job: Job, context: JobContext): Promise<void> => {
    // A window is tried again, and its pass stays open for it.
    if (!mayAct()) {
      throw new RedriverError("redis-unavailable", "Redis is away or not fit for a ledger now; see /readyz");
    }
    const { core, superseded, release } = live.acquire();
    const work: Work = { ...parts, ...state, ...context, core, superseded };
    try {
      switch (job.kind) {
        case "tick":
          return await tick(job.drain, work);
        case "window":
          return await window(job, work);
        case "sweep":
          return await sweepSource(job.source, work);
        case "census":
          return await countSource(job.source, work);
        case "statistics":
          return await readIndex(job.index, work);
        case "notices":
          return await work.queue.addNotify(await work.notices.evaluate(core));
        case "digest":
          return await work.queue.addNotify(await work.notices.writeDigest(core, job.target));
        case "notify":
          return await work.notices.deliver(core, job.target, context);
      }
    } finally {
      await earlyTicks.afterLosses(core);
      await earlyTicks.afterHalts(core);
      await earlyTicks.afterLanes(core);
      release();
    }
  };
  /** No window keeps its pass open that nobody will work. */
  const beforeGivenUp = async (job: Job): Promise<void> => {
    if (job.kind !== "window") return;
    const { core, release } = live.acquire();
    try {
      const drain = core.drains.get(job.drain);
      if (drain === undefined) return;
      const verdict = await abandonWindow(drain, job);
      await continuePass(drain, job.passId, verdict, { ...parts, ...state, core });
    } finally {
      release();
    }
  };
  return { handle, beforeGivenUp };
}

async function tick(name: DrainName, work: Work): Promise<void> {
  const { core, earlyTicks, asking, signal } = work;
  const drain = core.drains.get(name);
  if (drain === undefined || asking.has(name)) return;
  const { health } = drain.source;
  // The halt is reported already. The drain gets a tick when the source resumes.
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
  if (opened.kind === "opened") {
    earlyTicks.opened(name);
    const ended = await endQuietly(drain, opened, work);
    if (ended !== null) return continueOrCount(drain, opened.pass.passId, ended, work);
  }
  // Also for a pass that is already open: existing jobs are not added twice, missing ones are added.
  const passId = opened.kind === "opened" ? opened.pass.passId : opened.passId;
  await enqueueOldest(name, passId, opened.windows, work);
}

/** A window's job costs Redis most of an idle pass: so one record is asked for first. Null: it needs jobs. */
async function endQuietly(
  drain: DrainRuntime,
  { pass, windows: [only, second], isQuiet }: Extract<OpenVerdict, { kind: "opened" }>,
  { signal, onPage }: Work,
): Promise<CloseVerdict | null> {
  if (only === undefined || second !== undefined || !isQuiet) return null;
  const ended = await endEmptyWindow(drain, pass, only, signal);
  if (ended !== null) onPage?.(drain.config.name);
  return ended;
}

const spareWindows = 8;

/**
 * Adds jobs for the oldest windows of a pass: what expires first goes first. If there are several drains,
 * none has more than half of the windows that the living replicas work on at once. Each window that ends
 * makes room for the next at the end of the queue. So drains take turns.
 */
async function enqueueOldest(
  drain: DrainName,
  passId: PassId,
  left: readonly Window[],
  { queue, peers, core, places }: Passing,
): Promise<void> {
  const { concurrency } = core.settings.windows;
  const ofReplica = core.drains.size === 1 ? concurrency : Math.max(1, Math.floor(concurrency / 2));
  const share = ofReplica * (await peers.living());
  places.set(drain, share);
  // One more for the minutes that lanes recall, so that they do not wait for the pages of others.
  const atOnce = share + (left.some(({ windowId }) => isRecalled(windowId)) ? 1 : 0);
  const jobs = left
    .slice(0, 2 * atOnce + spareWindows)
    .map(({ windowId }) => ({ kind: "window", drain, passId, windowId }) as const);
  await queue.addWindows(jobs, atOnce);
}

async function window(job: Extract<Job, { kind: "window" }>, work: Work): Promise<void> {
  const { core, superseded, peers, places, earlyTicks, stopping, signal, lastTry, hasStalled = false } = work;
  const { passId, windowId } = job;
  const { hash } = core.document;
  const drain = core.drains.get(job.drain);
  if (drain === undefined) {
    // Nobody opens another pass of a drain that no replica has, so its remaining windows delay nobody. If the
    // drain comes back, its ticks add them again.
    if (!(await peers.workUnderAnother(hash))) return;
    throw new RedriverError("document-changed", `document ${hash} has no drain ${job.drain}`);
  }
  const isCalledElsewhere = (): Promise<boolean> => peers.mayCall(drain.source.config.id, hash);
  if (isHaltedHere(drain) && (await isCalledElsewhere())) throw leftToOthers(drain.source);
  const slot = await takeSlot(drain, work);
  // Free again before the next window is added.
  const { verdict, failedWith } = await workWindow(drain, {
    passId,
    windowId,
    signal,
    stopping: AbortSignal.any([stopping, superseded(job.drain)]),
    lastTry,
    hasStalled,
    awaitsRedis: true,
    isWorkedElsewhere: (other) => peers.workUnder(other),
    isCalledElsewhere,
    places: places.get(job.drain) ?? core.settings.windows.concurrency,
    onPage: ({ reasons }) => {
      work.onPage?.(job.drain);
      if ((reasons.due["source-halted"] ?? 0) > 0) earlyTicks.heldByHalt(drain, "batch");
      void earlyTicks.afterDeletes(drain.source);
      // A window may take longer than a lane's watch.
      void earlyTicks.afterLanes(core);
    },
  }).finally(slot.release);
  if (isRedriverError(failedWith) && failedWith.disposition === "halt") earlyTicks.heldByHalt(drain, "dlq");
  if (isUnanswered(failedWith)) await earlyTicks.unanswered(drain);
  await continueOrCount(drain, passId, verdict, work);
}

/** A pass that goes on gets its next windows. One that is over was perhaps in the way of a first count. */
async function continueOrCount(
  drain: DrainRuntime,
  passId: PassId,
  verdict: CloseVerdict,
  work: Work,
): Promise<void> {
  await continuePass(drain, passId, verdict, work);
  if (verdict.kind === "pass-closed") await countIfNever(drain.source, work);
}

async function continuePass(
  drain: DrainRuntime,
  passId: PassId,
  verdict: CloseVerdict,
  work: Passing,
): Promise<void> {
  const { name } = drain.config;
  if (verdict.kind === "pass-closed") await work.earlyTicks.closed(drain, verdict);
  if (verdict.kind === "pass-open") await enqueueOldest(name, passId, verdict.left, work);
  // Its end is recorded. That worker may have died before it added the next windows, so a tick does.
  if (verdict.kind === "stale") await work.queue.addTick(name, drain.source.clock.now());
}

/** Only for calls that this drain makes: in plan mode nothing is published. */
function isHaltedHere({ source, config }: DrainRuntime): boolean {
  return source.health.current(config.mode === "live" ? "batch" : "dlq").state === "halted";
}

/** A window without a slot comes back after this, give or take half, at the end of the queue. */
const backAfterMs = 500;

async function takeSlot({ source }: DrainRuntime, { core, slots, signal }: Work): Promise<WindowSlot> {
  const { clock, config } = source;
  const slot = await slots.take({ source: config.id, max: core.settings.windows.concurrency }, signal);
  if (slot !== null) return slot;
  throw new RedriverError("service-resting", `source ${config.id} has its part of this process's windows`, {
    retryAt: clock.now() + backAfterMs * (0.5 + clock.random()),
  });
}

function isUnanswered(error: unknown): boolean {
  return isRedriverError(error) && (error.code === "service-unavailable" || error.code === "service-timeout");
}

/** Shorter ones follow a limit per second: the sweep waits in place, as passes use up the next calls. */
const shortPauseMs = 5_000;
const sweptAgainWithinMs = 1_000;

async function sweepSource(id: SourceId, work: Work): Promise<void> {
  const { core, earlyTicks, events, sweepMemories, sweeping, signal, stopping, hasStalled } = work;
  const source = core.sources.get(id)?.runtime;
  if (source === undefined) return;
  const now = source.health.current();
  const isPaused = now.state === "waiting" && now.until - source.clock.now() > shortPauseMs;
  if (now.state === "halted" || isPaused) return earlyTicks.afterDeletes(source);
  const memory = sweepMemories.get(id) ?? createSweepMemory(source.clock);
  sweepMemories.set(id, memory);
  if (sweeping.has(id)) {
    // A page asked for it: it left something after the sweep under way had listed.
    source.sweepRequest.within(sweptAgainWithinMs);
    return;
  }
  sweeping.add(id);
  const report = (error: unknown): void => {
    events.emit({ type: "sweep:failed", source: id, ...toFailure(error) });
  };
  try {
    // Side by side: neither waits for the listings of the other, or fails with it.
    const checked = hasLanes(core.drains, source) ? runListingChecks(source, signal) : Promise.resolve();
    const swept = sweep(source, core.drains, memory, signal, stopping, hasStalled);
    await Promise.all([checked.catch(report), swept.catch(report)]);
  } finally {
    sweeping.delete(id);
    await earlyTicks.afterDeletes(source);
  }
}

async function readIndex(name: string, { core, readStatistics, signal }: Work): Promise<void> {
  const index = core.document.indexes.find((one) => one.name === name);
  if (index !== undefined) await readStatistics(index, signal);
}
