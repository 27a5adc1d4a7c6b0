import { Queue, type JobsOptions, type WorkerOptions } from "bullmq";
import type { Clock } from "../contracts/clock.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { Job, JobContext, WorkQueue } from "../contracts/work-queue.ts";
import { withinRedis, type ConnectionRole, type QueueConnection } from "./connection.ts";
import { toJobData, toNotifyJobId, toWindowJobId } from "./job-data.ts";
import { repeatStrategy } from "./next-cron-run.ts";
import { type QueueKind, queueKinds, toQueueName, toQueuePrefix } from "../redis/key-prefix.ts";
import {
  callTimeoutMs,
  defaultLock,
  defaultRetry,
  keepWindows,
  maxEvents,
  maxStalls,
  noticeRetry,
  onceOptions,
  refusedRestMs,
  shortWaitMs,
  spanOptions,
  toBackoffMs,
  type LockPolicy,
  type RetryPolicy,
} from "./policy.ts";
import { checkedByOthers, keepLookingForStalled } from "./look-for-stalled.ts";
import { createProcessor, lockLost } from "./processor.ts";
import { QueueWorker } from "./queue-worker.ts";
import { createRedisWatch } from "./redis-watch.ts";
import { createWorkerPause, type WorkerPause } from "./worker-pause.ts";
import { createRunningJobs, closeQueues } from "./shutdown.ts";
import { applySchedules } from "./apply-schedules.ts";

type WindowJob = Extract<Job, { kind: "window" }>;
type NotifyJob = Extract<Job, { kind: "notify" }>;
type ShortJob = Exclude<Job, { kind: "window" | "notify" }>;

interface Handlers {
  readonly handle: (job: Job, context: JobContext) => Promise<void>;
  readonly beforeGivenUp: (job: Job) => Promise<void>;
}

export interface QueueOptions {
  /** Makes one connection; the queue ends it at close. Called once per role. */
  readonly createConnection: (role: ConnectionRole) => QueueConnection;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly events: Events;
  readonly retry?: RetryPolicy;
  readonly noticeRetry?: RetryPolicy;
  readonly lock?: LockPolicy;
}

/**
 * WorkQueue on BullMQ. Three queues, so that a hundred windows never make a sweep late, and a slow target of
 * `notify` neither: `short` for what schedules make, one try each; `windows` for the windows of passes and
 * `notices` for messages to people, tried again with backoff. Errors of applySchedules and of what adds jobs
 * are `redis-unavailable`, or `redis-unsuitable` where a person must act.
 */
export function createBullmqQueue(options: QueueOptions): WorkQueue {
  const { keyPrefix, clock, events, retry = defaultRetry, lock = defaultLock } = options;
  const forQueues = options.createConnection("queue");
  const forWorkers = options.createConnection("worker");
  const connections = [forQueues, forWorkers];
  const stopped = new AbortController();
  const { onError, stop: stopWatching } = createRedisWatch(connections, events, clock);
  const running = createRunningJobs();
  const prefix = toQueuePrefix(keyPrefix);
  const queues = {
    short: renewedQueue("short"),
    windows: renewedQueue("windows"),
    notices: renewedQueue("notices"),
  };
  const workers = new Map<QueueKind, QueueWorker>();
  const concurrency = { short: 1, windows: 1, notices: 0 };
  const retryOf = { short: retry, windows: retry, notices: options.noticeRetry ?? noticeRetry };
  let started: Handlers | undefined;
  const pauses: WorkerPause[] = [];
  let lastProgressAt: number | undefined;
  let closing: Promise<void> | undefined;
  let applying: Promise<unknown> = Promise.resolve();

  const progress = (): void => {
    lastProgressAt = clock.now();
  };

  function renewedQueue(kind: QueueKind) {
    return createRenewedQueue(() => {
      const queue = new Queue(toQueueName(keyPrefix, kind), {
        connection: forQueues,
        prefix,
        streams: { events: { maxLen: maxEvents } },
        settings: { repeatStrategy },
      });
      queue.on("error", onError);
      return queue;
    });
  }

  function createWorker(kind: QueueKind, handlers: Handlers): QueueWorker {
    const settings: WorkerOptions = {
      connection: forWorkers,
      prefix,
      autorun: false,
      concurrency: concurrency[kind],
      lockDuration: lock.durationMs,
      skipStalledCheck: true,
      stalledInterval: lock.stalledIntervalMs * checkedByOthers,
      maxStalledCount: maxStalls[kind],
      runRetryDelay: refusedRestMs,
      settings: {
        repeatStrategy,
        backoffStrategy: (made) => toBackoffMs(made, retryOf[kind], clock.random()),
      },
    };
    const pause = createWorkerPause(() => worker, clock);
    pauses.push(pause);
    const processor = createProcessor({
      queue: kind,
      ...handlers,
      running,
      clock,
      events,
      retry: retryOf[kind],
      onError,
      progress,
      pause: pause.begin,
    });
    const worker = new QueueWorker(toQueueName(keyPrefix, kind), processor, settings, clock, progress);
    worker.on("error", onError);
    worker.on("lockRenewalFailed", (ids) => {
      for (const id of ids) worker.cancelJob(id, lockLost);
    });
    return worker;
  }

  const toWorked = () => [...workers].map(([kind, worker]) => ({ queue: queues[kind].current(), worker }));

  const withRedis = <T>(what: string, call: () => Promise<T>): Promise<T> =>
    withinRedis(forQueues, callTimeoutMs, what, call);

  /** Starts the workers of queues that may have jobs and have none yet. */
  function startWorkers(): void {
    if (started === undefined || closing !== undefined) return;
    for (const kind of queueKinds) {
      if (concurrency[kind] === 0 || workers.has(kind)) continue;
      const worker = createWorker(kind, started);
      workers.set(kind, worker);
      worker.run().catch(onError);
    }
  }

  async function addShort(job: ShortJob, opts: JobsOptions): Promise<void> {
    await withRedis(job.kind, () => queues.short.current().add(job.kind, toJobData(job), opts));
  }

  async function addTriedAgain<Added extends WindowJob | NotifyJob>(
    kind: "windows" | "notices",
    jobs: readonly Added[],
    toId: (job: Added) => string,
    kept: JobsOptions,
  ): Promise<void> {
    if (jobs.length === 0) return;
    const { attempts } = retryOf[kind];
    const opts = { ...kept, attempts, backoff: { type: "custom" }, stackTraceLimit: 0 };
    const added = jobs.map((job) => ({
      name: job.kind,
      data: toJobData(job),
      opts: { ...opts, jobId: toId(job) },
    }));
    await withRedis(kind, () => queues[kind].current().addBulk(added));
  }

  /**
   * Jobs from the front that are not there yet, until `atOnce` wait or run. Which jobs wait or run is one
   * question. Of the others mostly one is missing, and it is the first.
   */
  async function toFill(jobs: readonly WindowJob[], atOnce: number): Promise<readonly WindowJob[]> {
    const queue = queues.windows.current();
    const going = new Set(await queue.getRanges(["active", "waiting"], 0, -1));
    const others = jobs.filter((job) => !going.has(toWindowJobId(job)));
    const missing: WindowJob[] = [];
    for (let room = atOnce - jobs.length + others.length; room > 0 && others.length > 0;) {
      const asked = others.splice(0, room);
      const places = await Promise.all(asked.map((job) => placeOf(queue, toWindowJobId(job), clock.now())));
      const added = asked.filter((_, index) => places[index] === "missing");
      missing.push(...added);
      // BullMQ adds no job while another of its id is there: failed, or in no list since Redis refused to move it half way.
      await Promise.all(added.map((job) => queue.remove(toWindowJobId(job))));
      room -= places.filter((place) => place !== "away").length;
    }
    return missing;
  }

  return {
    async applySchedules(schedules, others = "remove") {
      // One after the other: a reload's schedules must not be undone by an older call that is still under
      // way.
      const mine = applying.then(() =>
        withRedis("schedules", () =>
          applySchedules(queues.short.current(), schedules, others, async () => {
            const [seconds] = await forQueues.time();
            return Number(seconds) * 1_000;
          }),
        ),
      );
      applying = mine.catch(() => undefined);
      await mine;
    },

    addTick: (drain, at) => addShort({ kind: "tick", drain }, onceOptions("tick", drain, at, clock.now())),

    addSweep: (source, at) =>
      addShort({ kind: "sweep", source }, onceOptions("sweep", source, at, clock.now())),

    addSweepOf: (source, at, spanMs) =>
      addShort({ kind: "sweep", source }, spanOptions("sweep", source, at, spanMs)),

    async addWindows(jobs, atOnce) {
      if (jobs.length === 0) return;
      const toAdd = atOnce === undefined ? jobs : await withRedis("windows", () => toFill(jobs, atOnce));
      await addTriedAgain("windows", toAdd, toWindowJobId, keepWindows);
    },

    addNotify: (targets) =>
      addTriedAgain(
        "notices",
        targets.map((target): NotifyJob => ({ kind: "notify", target })),
        toNotifyJobId,
        { removeOnComplete: true, removeOnFail: true },
      ),

    allow(max) {
      for (const kind of queueKinds) {
        concurrency[kind] = Math.max(concurrency[kind], max[kind] ?? 0);
        const worker = workers.get(kind);
        if (worker !== undefined) worker.concurrency = concurrency[kind];
      }
      startWorkers();
    },

    async start(handle, beforeGivenUp = () => Promise.resolve()) {
      if (started !== undefined || closing !== undefined) {
        throw new RedriverError("invariant-broken", "a queue is started once and not after its close");
      }
      started = { handle, beforeGivenUp };
      startWorkers();
      void keepLookingForStalled({
        toWorked,
        connection: forQueues,
        lock,
        clock,
        stopped: stopped.signal,
        onError,
      });
    },

    lastProgressAt: () => lastProgressAt,

    close(deadline) {
      stopWatching();
      stopped.abort();
      for (const pause of pauses) pause.stop();
      closing ??= closeQueues(
        { workers: [...workers.values()], queues: Object.values(queues), connections, running, clock },
        deadline,
      );
      return closing;
    },
  };
}

/**
 * A queue sends its first commands as it is made, which is with its first use. If they fail (a connection that
 * breaks just then, a user that may not send them), the library keeps it unusable for ever. So it is made anew at
 * the next call, and not closed: that would wait for what failed. The connection is shared and stays.
 */
function createRenewedQueue(make: () => Queue) {
  let usable: Queue | undefined;
  return {
    current(): Queue {
      if (usable !== undefined) return usable;
      const made = make();
      made.waitUntilReady().catch(() => {
        if (made === usable) usable = undefined;
      });
      usable = made;
      return made;
    },
    close: async () => usable?.close(),
  };
}

/** A list of windows that are left may have one whose job ended after it was read. */
const justEndedMs = 10_000;

/**
 * `missing`: none is there, or it ended and left its window, as it does if it failed, and as it does while no document
 * has its drain. `away`: it is done, or waits for long.
 */
async function placeOf(queue: Queue, id: string, now: number): Promise<"missing" | "going" | "away"> {
  const state = await queue.getJobState(id);
  if (state === "unknown" || state === "failed") return "missing";
  if (state === "waiting" || state === "active") return "going";
  if (state !== "delayed" && state !== "completed") return "away";
  const stored = await queue.getJob(id);
  if (state === "completed") return (stored?.finishedOn ?? now) + justEndedMs < now ? "missing" : "away";
  return stored !== undefined && stored.delay <= shortWaitMs ? "going" : "away";
}
