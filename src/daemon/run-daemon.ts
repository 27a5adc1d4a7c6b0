/**
 * The daemon: schedules and works jobs until it is told to stop. What it needs of the outside may come late or go away
 * (Redis, the service, a token): it says so, is not ready, and goes on by itself when it is back.
 */
import type { DocumentFile } from "../compose/document-file.ts";
import type { LiveCore } from "../compose/live-core.ts";
import type { Clock } from "../ports/clock.ts";
import type { DrainsDocument } from "../ports/drains.ts";
import { toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { WorkQueue } from "../ports/queue.ts";
import { findRedisProblems } from "../redis/preflight.ts";
import { createCopyingWithoutRedis } from "./copy-without-redis.ts";
import { createCallbacks } from "./callbacks.ts";
import { createJobHandler, type JobParts } from "./handle-job.ts";
import { createPeerReplicas } from "./peer-replicas.ts";
import { createOpsServer } from "./ops-http.ts";
import { probeSources } from "./probe-sources.ts";
import { toLiveness, toReadiness, type DaemonState } from "./readiness.ts";
import { toMaxJobs } from "./max-jobs.ts";
import { createRedisFitnessEvents } from "./redis-fitness-events.ts";
import { toSourcePauses } from "./source-pauses.ts";
import { toSchedules, toStanding } from "./schedules.ts";
import { createEarlyTicks } from "./early-ticks.ts";
import { createArchiveWatch } from "./watch-archive.ts";
import { createDocumentWatch } from "./watch-document.ts";

const probeEveryMs = 30_000;
/** Schedules are written again this often: insurance against a scheduler that was lost unnoticed (bullmq issues 3272, 3262). */
const reapplyEveryMs = 15_000;
const redisCheckEveryMs = 5_000;
/** How soon schedules are written for a document that was just adopted, and they and a replica's word after a loss of Redis's writes that was just noticed. */
const standingLookEveryMs = 500;
const documentLookEveryMs = 2_000;
const announceEveryMs = 15_000;
const notReadyWaitMs = 250;
/** Of shutdown.hard, kept for what ends after the work: half of it for a goodbye to a Redis that may not answer, half for the caller. */
const afterWorkMs = 2_000;
/** Every source is swept by schedule; a replica that sees no job at all for several sweeps, and 5 min, is stuck. */
function longestSilenceMs(sweepEveryMs: number): number {
  return Math.max(5 * 60_000, 3 * sweepEveryMs);
}

/** What was written to Redis last. */
interface Written {
  readonly under: string;
  /** By clock.monotonic(). */
  readonly at: number;
}

export interface DaemonParts {
  readonly live: LiveCore;
  readonly documentFile: DocumentFile;
  /** Told of each document that replaces another. */
  readonly onAdopted: (document: DrainsDocument) => void;
  /** Name of this process among the replicas. */
  readonly replica: string;
  readonly queue: WorkQueue;
  readonly events: Events;
  readonly clock: Clock;
  readonly metrics: { render(): Promise<string>; readonly contentType: string };
  readonly readStatistics: JobParts["readStatistics"];
  readonly version: string;
  /** Aborts when the daemon is to stop; its reason says why. */
  readonly stop: AbortSignal;
}

/** Runs until `stop` aborts; answers whether everything ended within the deadline. */
export async function runDaemon(parts: DaemonParts): Promise<boolean> {
  const { live, queue, events, clock, stop } = parts;
  const { settings, document, redis, replicas } = live.current();
  const earlyTicks = createEarlyTicks(queue);
  const peers = createPeerReplicas(replicas, parts.replica);
  const watch = createDocumentWatch({ ...parts, file: parts.documentFile });
  const redisFitness = createRedisFitnessEvents(events, clock);
  const state: DaemonState = { redisProblems: null, schedulesAppliedAt: null, stopping: false };
  const archiveWatch = createArchiveWatch({ current: () => live.current(), clock, events });
  let readySince: number | null = null;

  const callbacks = createCallbacks({ live, earlyTicks, events, clock, stop });
  await callbacks.listen();
  const ops = await createOpsServer({
    host: settings.http.host,
    port: settings.http.port,
    livez: () =>
      toLiveness(clock.now(), readySince, queue.lastProgressAt(), longestSilenceMs(settings.sweep.everyMs)),
    readyz: async () => toReadiness(live.current(), redis, state, archiveWatch.problem()),
    metrics: () => parts.metrics.render(),
    contentType: parts.metrics.contentType,
    clock,
  }).catch(async (error: unknown) => {
    await callbacks.close();
    throw error;
  });
  events.emit({
    type: "daemon:started",
    httpAddress: ops.address,
    callbackAddress: callbacks.address(),
    documentHash: document.hash,
    version: parts.version,
  });
  // What there was to warn of has been told as the document was loaded.
  events.emit({
    type: "document:adopted",
    hash: document.hash,
    before: null,
    at: watch.state().adoptedAt,
    warnings: [],
  });

  const loops = [
    keepGoing(watchRedis, () => {
      readySince = null;
    }),
    work(),
    keepGoing(async () => {
      if ((await watch.look()) === "changed") await announce().catch(() => undefined);
      return documentLookEveryMs;
    }),
    tellOthers(),
    keepGoing(createCopyingWithoutRedis({ live, isRedisWell, clock, events, stop })),
    keepGoing(() => archiveWatch.look()),
    keepGoing(async () => {
      await callbacks.listen();
      return documentLookEveryMs;
    }),
    probeSources(
      () => live.current().sources.values(),
      probeEveryMs,
      { clock, events, afterRound: () => earlyTicks.afterHalts(live.current()) },
      stop,
    ),
  ];
  await aborted(stop);
  state.stopping = true;
  events.emit({ type: "daemon:stopping", why: String(stop.reason) });
  const startedAt = clock.monotonic();
  const called = callbacks.close();
  const { softMs, hardMs } = settings.shutdown;
  const restMs = Math.min(afterWorkMs, hardMs / 4);
  await queue.close({ softMs, hardMs: hardMs - restMs });
  const clean = clock.monotonic() - startedAt < hardMs - restMs;
  const gone = new AbortController();
  await Promise.race([sayGoodbye(), clock.sleep(restMs / 2, gone.signal)]);
  gone.abort();
  await called;
  await ops.close();
  events.emit({ type: "daemon:stopped", clean });
  return clean;

  async function sayGoodbye(): Promise<void> {
    await Promise.all(loops);
    if (redis.isReady()) await replicas.leave(parts.replica).catch(() => undefined);
  }

  async function watchRedis(): Promise<number> {
    const away = redis.whyAway();
    if (away !== null) {
      readySince = null;
      redisFitness.away(away);
      return notReadyWaitMs;
    }
    try {
      state.redisProblems = (await findRedisProblems(redis)).filter(({ weight }) => weight !== "warn");
    } catch (error) {
      // A server that does not say how it is set up is as unfit as one that is set up wrongly.
      state.redisProblems = [{ kind: "unreadable", weight: "refuse", message: toFailure(error).message }];
      throw error;
    } finally {
      redisFitness.found(state.redisProblems ?? []);
    }
    readySince = isRedisFit() ? (readySince ?? clock.now()) : null;
    return redisCheckEveryMs;
  }

  function isRedisFit(): boolean {
    return redis.isReady() && state.redisProblems?.every(({ weight }) => weight !== "refuse") === true;
  }

  function isRedisWell(): boolean {
    return isRedisFit() && state.redisProblems?.every(({ weight }) => weight !== "hold") === true;
  }

  /** Starts to work once Redis is fit, then keeps the schedules standing. */
  async function work(): Promise<void> {
    let started = false;
    let applied: Written | null = null;
    await keepGoing(async () => {
      queue.allow(toMaxJobs(live.current()));
      if (!isRedisFit()) return notReadyWaitMs;
      if (!started) {
        // Before the first window is taken: the others must know that this document is worked under.
        await announce();
        await queue.start(
          createJobHandler({
            live,
            queue,
            earlyTicks,
            peers,
            events,
            clock,
            readStatistics: parts.readStatistics,
            stopping: stop,
            mayAct: isRedisFit,
          }),
        );
        started = true;
      }
      const { document: now } = live.current();
      const under = toStanding(live.current());
      if (stands(applied, under, reapplyEveryMs)) return standingLookEveryMs;
      // While replicas disagree, what this document does not have may be in force elsewhere.
      const keep = await peers.workUnderAnother(now.hash);
      await queue.applySchedules(toSchedules(now, settings.sweep.everyMs), keep ? "keep" : "remove");
      applied = { under, at: clock.monotonic() };
      state.schedulesAppliedAt = clock.now();
      return standingLookEveryMs;
    });
  }

  /** Says what this replica works under, every 15 s, and at once where Redis may have lost what was said. */
  async function tellOthers(): Promise<void> {
    let said: Written | null = null;
    await keepGoing(async () => {
      if (!redis.isReady()) return notReadyWaitMs;
      const under = `${toStanding(live.current())}, connection ${redis.timesReady()}`;
      if (stands(said, under, announceEveryMs)) return standingLookEveryMs;
      await announce();
      said = { under, at: clock.monotonic() };
      return standingLookEveryMs;
    });
  }

  function stands(written: Written | null, under: string, forMs: number): boolean {
    return written?.under === under && clock.monotonic() - written.at < forMs;
  }

  /** Tells the other replicas what this one works under. */
  function announce(): Promise<void> {
    const { document: now, sources } = live.current();
    return replicas.announce({
      replica: parts.replica,
      version: parts.version,
      documentHash: now.hash,
      ...watch.state(),
      resting: toSourcePauses(sources.values()),
      archive: archiveWatch.problem(),
    });
  }

  /** Calls `turn` until the daemon stops; each says how long to wait for the next. A failure is told and tried again. */
  async function keepGoing(turn: () => Promise<number>, onFailure?: () => void): Promise<void> {
    while (!stop.aborted) {
      let waitMs = redisCheckEveryMs;
      try {
        waitMs = await turn();
      } catch (error) {
        onFailure?.();
        events.emit({ type: "job:failed", kind: "daemon", ...toFailure(error), givenUp: false });
      }
      await clock.sleep(waitMs, stop).catch(() => undefined);
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
