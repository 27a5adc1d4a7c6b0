/**
 * The daemon: schedules and works jobs until it is stopped. Its dependencies (Redis, the service, a token)
 * may come late or go away. It reports that, is not ready, and continues by itself when they are back.
 *
 *   listen ─► started ─► loops: Redis, jobs, document, announcement, copies, archive, callbacks, halted sources
 *                                     │ stop
 *                                     ▼
 *   no more callbacks ─► jobs and plans end by softMs, at the latest by hardMs ─► loops end, goodbye to the other replicas ─► stopped
 */
import { once } from "node:events";
import { lookAtVolume } from "../compose/open-archive.ts";
import { toFailure } from "../contracts/errors.ts";
import type { WorkQueue } from "../contracts/work-queue.ts";
import { createCallbacks } from "./canary-callbacks.ts";
import { createCopyingWithoutRedis } from "./keep-copies-without-redis.ts";
import { createEarlyTicks } from "./early-ticks.ts";
import { createLoops } from "./loops.ts";
import { createJobHandler, type JobParts } from "./handle-job.ts";
import { createOpsServer } from "./ops-http.ts";
import { createPeerReplicas } from "./peer-replicas.ts";
import type { ActsBeside, PeopleBeside } from "./people-beside.ts";
import { probeSources } from "./probe-halted-sources.ts";
import { toLiveness, toReadiness } from "./health-checks.ts";
import { toMaxJobs, toScheduleBasis, toSchedules } from "./wanted-schedules.ts";
import { createArchiveWatch } from "./watch-archive.ts";
import { createDocumentWatch, type DocumentWatchParts } from "./watch-document.ts";
import { createStandstillWatch } from "./watch-standstill.ts";
import { createRedisFitness } from "./redis-fitness.ts";
import { createSweeping } from "./keep-sweeping.ts";
import type { BuiltSource } from "../compose/build-source.ts";
import { type ReplicaRecord, toToldMode } from "../contracts/replicas.ts";
import { callClasses } from "../contracts/source-pauses.ts";

const opsRequestTimeoutMs = 10_000;
const probeEveryMs = 30_000;
/** Written again this often, in case a scheduler was lost unnoticed (bullmq issues 3272, 3262). */
const reapplyEveryMs = 60_000;
const announceEveryMs = 15_000;
/** Delay of schedules after a loss of Redis's writes, and of an announcement after a new connection. */
const basisCheckEveryMs = 1_000;
const documentCheckEveryMs = 2_000;
const redisAwayWaitMs = 250;
/** Part of shutdown.hard after the jobs: half for a goodbye to a Redis that may hang, half for the caller. */
const afterJobsMs = 2_000;
/** Each worker asks Redis for a job every half minute. A replica in which none does is stuck. */
const maxSilenceMs = 5 * 60_000;

export interface DaemonParts extends DocumentWatchParts {
  readonly replica: string;
  readonly queue: WorkQueue;
  readonly metrics: { render(): Promise<string>; readonly contentType: string };
  readonly readStatistics: JobParts["readStatistics"];
  /** What is known of the last job that failed, and who shows how many drains stand still. */
  readonly standstills?: {
    readonly lastFailure: () => string | null;
    readonly count: (drains: () => number) => void;
  };
  readonly createPeople: (told: ActsBeside) => PeopleBeside;
  readonly version: string;
  /** Calls back when somebody asks to read document and secrets again. Answers how to stop listening. */
  readonly onReload?: (listener: (why: string) => void) => () => void;
}

export async function runDaemon(parts: DaemonParts): Promise<boolean> {
  const { live, queue, events, clock, metrics, replica, version, stop } = parts;
  const { settings, document, redis, replicas } = live.current();
  const earlyTicks = createEarlyTicks(queue);
  const { console, notices, closePlans } = parts.createPeople({
    afterPage: (core, source) => {
      void earlyTicks.afterDeletes(source);
      void earlyTicks.afterLanes(core);
    },
    onLaneTimes: (source, times) => {
      for (const at of times) queue.addSweep(source, at).catch(() => undefined);
    },
  });
  const peers = createPeerReplicas(replicas, replica);
  const watchedDocument = createDocumentWatch({
    ...parts,
    onAdopted(adopted) {
      parts.onAdopted(adopted);
      console.adopted();
    },
  });
  const redisFitness = createRedisFitness(redis, events, clock, () => [...live.current().sources.keys()]);
  const { current } = live;
  const watchedArchive = createArchiveWatch({ current, look: lookAtVolume, clock, events });
  const standstill = createStandstillWatch(live, clock, redisFitness.isFit, parts.standstills?.lastFailure);
  parts.standstills?.count(() => standstill.reasons().length);
  const keepGoing = createLoops({ clock, events, stop });
  const isApplied = upToDateFor(reapplyEveryMs);
  const { everyMs } = settings.sweep;
  const lookForSweeps = createSweeping({ current, queue, earlyTicks, events, clock, everyMs });
  /** Unix ms of the last time the schedules were written; null: never. */
  let schedulesAppliedAt: number | null = null;
  let resting: ReplicaRecord["resting"] = [];

  const callbacks = createCallbacks({ live, earlyTicks, events, clock, stop });
  await callbacks.listen();
  const ops = await createOpsServer({
    host: settings.http.host,
    port: settings.http.port,
    requestTimeoutMs: opsRequestTimeoutMs,
    livez: () => toLiveness(clock.now(), redisFitness.fitSince(), queue.lastProgressAt(), maxSilenceMs),
    readyz: async () => {
      const state = { redisProblems: redisFitness.problems(), schedulesAppliedAt, stopping: stop.aborted };
      return toReadiness(live.current(), redis, state, watchedArchive.problem(), standstill.reasons());
    },
    metrics: () => metrics.render(),
    contentType: metrics.contentType,
    clock,
  }).catch(async (error: unknown) => {
    await callbacks.close();
    throw error;
  });
  await console.listen();
  const forgetReload = parts.onReload?.((why) => {
    events.emit({ type: "daemon:reloading", why });
    reload().catch((error: unknown) =>
      events.emit({ type: "job:failed", kind: "daemon", ...toFailure(error), givenUp: false }),
    );
  });
  events.emit({
    type: "daemon:started",
    httpAddress: ops.address,
    callbackAddress: callbacks.address(),
    consoleAddress: console.address(),
    documentHash: document.hash,
    version,
  });
  // Its warnings were reported when the document was loaded.
  const { adoptedAt } = watchedDocument.state();
  events.emit({ type: "document:adopted", hash: document.hash, before: null, at: adoptedAt, warnings: [] });

  // So that jobs and schedules begin once Redis is connected, and not a turn of their loop later.
  await redis.ready(redisAwayWaitMs).catch(() => undefined);
  await redisFitness.look().catch(() => undefined);

  const loops = [
    keepGoing(() => redisFitness.look()),
    work(),
    keepGoing(() => lookAtDocument("by-time").then(() => documentCheckEveryMs)),
    keepAnnouncing(),
    keepGoing(createCopyingWithoutRedis({ live, isRedisWell: redisFitness.isWell, clock, events, stop })),
    keepGoing(() => watchedArchive.look()),
    keepGoing(() => standstill.look()),
    keepGoing(() => (redisFitness.isFit() ? lookForSweeps() : Promise.resolve(redisAwayWaitMs))),
    keepGoing(async () => {
      await callbacks.listen();
      await console.listen();
      return documentCheckEveryMs;
    }),
    keepGoing(async () => {
      await readSecrets();
      await earlyTicks.afterHalts(live.current());
      return probeEveryMs;
    }),
  ];
  if (!stop.aborted) await once(stop, "abort");
  forgetReload?.();
  return end();

  async function reload(): Promise<void> {
    await lookAtDocument("asked");
    for (const { callbacks: own } of live.current().sources.values()) own?.reread();
    await readSecrets();
  }

  async function lookAtDocument(why: "by-time" | "asked"): Promise<void> {
    if ((await watchedDocument.look(why)) === "unchanged") return;
    // At once, and not a turn of their loop later; that loop also reports and repeats what fails.
    if (schedulesAppliedAt !== null && redisFitness.isFit()) keepSchedules().catch(() => undefined);
    await announce().catch(() => undefined);
  }

  function readSecrets(): Promise<void> {
    return probeSources(live.current().sources.values(), { clock, events }, stop);
  }

  async function work(): Promise<void> {
    let started = false;
    let wasFit = false;
    await keepGoing(async () => {
      queue.allow(toMaxJobs(live.current()));
      if (!redisFitness.isFit()) {
        wasFit = false;
        return redisAwayWaitMs;
      }
      const isFitAgain = started && !wasFit;
      wasFit = true;
      if (!started) {
        // Before the first window is taken: the others must know that this document is worked under.
        await announce();
        const beside = { earlyTicks, peers, notices, onPage: standstill.moved };
        const handler = createJobHandler({ ...parts, ...beside, stopping: stop, mayAct: redisFitness.isFit });
        await queue.start(handler.handle, handler.beforeGivenUp);
        started = true;
      }
      await keepSchedules();
      if (isFitAgain) await goOn();
      return basisCheckEveryMs;
    });
  }

  /** Ticks and sweeps that Redis refused come now, and not with their next schedule. */
  async function goOn(): Promise<void> {
    const { drains, sources } = live.current();
    const now = clock.now();
    await Promise.all([
      ...[...drains.keys()].map((drain) => queue.addTick(drain, now)),
      ...[...sources.keys()].map((source) => queue.addSweep(source, now)),
    ]);
  }

  /** Writes the schedules every minute, and at once if they may differ from those in Redis. */
  function keepSchedules(): Promise<void> {
    const { document: now } = live.current();
    const basis = `${toScheduleBasis(live.current())}, fit since ${redisFitness.fitSince()}`;
    return isApplied(basis, async () => {
      // While replicas disagree, schedules that this document lacks may be in force elsewhere.
      const keep = await peers.workUnderAnother(now.hash);
      await queue.applySchedules(toSchedules(now), keep ? "keep" : "remove");
      schedulesAppliedAt = clock.now();
    });
  }

  /** Announces this replica's state: every 15 s, and at once if Redis may have lost it or a source halts, fails or answers again. */
  async function keepAnnouncing(): Promise<void> {
    const isAnnounced = upToDateFor(announceEveryMs);
    await keepGoing(async () => {
      if (!redis.isReady()) return redisAwayWaitMs;
      // Short pauses after a 429 come and go too often to be told at once.
      const told = toSourcePauses(live.current().sources.values()).flatMap(({ source, code }) =>
        code === "service-resting" ? [] : [`${source} ${code}`],
      );
      const basis = [toScheduleBasis(live.current()), redis.timesReady(), ...told];
      await isAnnounced(basis.join(", "), announce);
      return basisCheckEveryMs;
    });
  }

  /** Answers a function that writes again if the last write is `forMs` old, or its basis has changed. */
  function upToDateFor(forMs: number): (basis: string, write: () => Promise<void>) => Promise<void> {
    let written: { readonly basis: string; readonly at: number } | null = null;
    return async (basis, write) => {
      if (written?.basis === basis && clock.monotonic() - written.at < forMs) return;
      await write();
      written = { basis, at: clock.monotonic() };
    };
  }

  function announce(): Promise<void> {
    const { document: now, sources } = live.current();
    // Each change of a halt or an outage is announced within a second, so it is known since then.
    resting = toSourcePauses(sources.values()).map((one) => {
      const before = resting.find(({ source, code }) => source === one.source && code === one.code);
      return { ...one, since: before?.since ?? clock.now() };
    });
    return replicas.announce({
      replica,
      version,
      documentHash: now.hash,
      ...watchedDocument.state(),
      resting,
      archive: watchedArchive.problem(),
      modes: Object.fromEntries(now.drains.map((drain) => [drain.name, toToldMode(drain)])),
    });
  }

  async function end(): Promise<boolean> {
    events.emit({ type: "daemon:stopping", why: String(stop.reason) });
    const startedAt = clock.monotonic();
    const callbacksClosed = callbacks.close();
    const consoleClosed = console.close();
    const { softMs, hardMs } = settings.shutdown;
    const restMs = Math.min(afterJobsMs, hardMs / 4);
    const deadlines = { softMs, hardMs: hardMs - restMs };
    await Promise.all([queue.close(deadlines), closePlans(deadlines)]);
    const clean = clock.monotonic() - startedAt < hardMs - restMs;
    const gone = new AbortController();
    await Promise.race([leave(), clock.sleep(restMs / 2, gone.signal)]);
    gone.abort();
    await callbacksClosed;
    await consoleClosed;
    await ops.close();
    events.emit({ type: "daemon:stopped", clean });
    return clean;
  }

  async function leave(): Promise<void> {
    await Promise.all(loops);
    if (redis.isReady()) await replicas.leave(replica).catch(() => undefined);
  }
}

/** The sources that this process does not call now, and why. A halt comes before a pause. */
export function toSourcePauses(sources: Iterable<BuiltSource>): ReplicaRecord["resting"] {
  return [...sources].flatMap(({ runtime: { config, health } }): ReplicaRecord["resting"] => {
    const source = config.id;
    const all = [health.standing(), ...callClasses.map((callClass) => health.current(callClass))];
    const halt = all.find((one) => one.state === "halted");
    if (halt !== undefined) return [{ source, state: "halted", code: halt.code }];
    if (health.isFailing()) return [{ source, state: "waiting", code: "service-unavailable" }];
    const isWaiting = all.some(({ state }) => state === "waiting");
    return isWaiting ? [{ source, state: "waiting", code: "service-resting" }] : [];
  });
}
