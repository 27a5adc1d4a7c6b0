/**
 * The daemon: schedules and works jobs until it is told to stop. What it needs of the outside may come late or go away
 * (Redis, the service, a token): it says so, is not ready, and goes on by itself when it is back.
 */
import type { Core } from "../compose/build-core.ts";
import type { Clock } from "../ports/clock.ts";
import { toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { WorkQueue } from "../ports/queue.ts";
import { findRedisProblems } from "../redis/preflight.ts";
import { createJobHandler } from "./handle-job.ts";
import { createOpsServer } from "./ops-http.ts";
import { probeSources } from "./prober.ts";
import { toLiveness, toReadiness, type DaemonState } from "./readiness.ts";
import { toSchedules } from "./schedules.ts";

const probeEveryMs = 30_000;
/** Schedules are written again this often: insurance against a scheduler that was lost (bullmq issues 3272, 3262). */
const reapplyEveryMs = 60_000;
const redisCheckEveryMs = 5_000;
const notReadyWaitMs = 250;
/** Every source is swept by schedule; a replica that sees no job at all for several sweeps, and 5 min, is stuck. */
function longestSilenceMs(sweepEveryMs: number): number {
  return Math.max(5 * 60_000, 3 * sweepEveryMs);
}

export interface DaemonParts {
  readonly core: Core;
  readonly queue: WorkQueue;
  readonly events: Events;
  readonly clock: Clock;
  readonly metrics: { render(): Promise<string>; readonly contentType: string };
  readonly readStatistics: (index: string, signal: AbortSignal) => Promise<void>;
  readonly version: string;
  /** Aborts when the daemon is to stop; its reason says why. */
  readonly stop: AbortSignal;
}

/** Runs until `stop` aborts; answers whether everything ended within the deadline. */
export async function runDaemon(parts: DaemonParts): Promise<boolean> {
  const { core, queue, events, clock, stop } = parts;
  const { settings, document, redis } = core;
  const state: DaemonState = { redisProblems: null, schedulesAppliedAt: null, stopping: false };
  let readySince: number | null = null;

  const ops = await createOpsServer({
    host: settings.http.host,
    port: settings.http.port,
    livez: () =>
      toLiveness(clock.now(), readySince, queue.lastProgressAt(), longestSilenceMs(settings.sweep.everyMs)),
    readyz: async () => toReadiness(core, redis, state),
    metrics: () => parts.metrics.render(),
    contentType: parts.metrics.contentType,
  });
  events.emit({
    type: "daemon:started",
    httpAddress: ops.address,
    documentHash: document.hash,
    version: parts.version,
  });

  const loops = [
    keepGoing(watchRedis, () => {
      readySince = null;
    }),
    work(),
    probeSources(core.sources.values(), probeEveryMs, { clock, events }, stop),
  ];
  await aborted(stop);
  state.stopping = true;
  events.emit({ type: "daemon:stopping", why: String(stop.reason) });
  const startedAt = clock.monotonic();
  await queue.close(settings.shutdown);
  await Promise.all(loops);
  await ops.close();
  const clean = clock.monotonic() - startedAt < settings.shutdown.hardMs;
  events.emit({ type: "daemon:stopped", clean });
  return clean;

  async function watchRedis(): Promise<number> {
    if (!redis.isReady()) {
      readySince = null;
      return notReadyWaitMs;
    }
    state.redisProblems = (await findRedisProblems(redis))
      .filter(({ weight }) => weight === "refuse")
      .map(({ message }) => message);
    readySince = state.redisProblems.length > 0 ? null : (readySince ?? clock.now());
    return redisCheckEveryMs;
  }

  function isRedisFit(): boolean {
    return redis.isReady() && state.redisProblems !== null && state.redisProblems.length === 0;
  }

  /** Starts to work once Redis is fit, then keeps the schedules standing. */
  async function work(): Promise<void> {
    let started = false;
    await keepGoing(async () => {
      if (!isRedisFit()) return notReadyWaitMs;
      if (!started) {
        await queue.start(
          createJobHandler({
            core,
            queue,
            events,
            readStatistics: parts.readStatistics,
            stopping: stop,
            mayAct: isRedisFit,
          }),
        );
        started = true;
      }
      await queue.applySchedules(toSchedules(document, settings.sweep.everyMs));
      state.schedulesAppliedAt = clock.now();
      return reapplyEveryMs;
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
