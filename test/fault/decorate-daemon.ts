import { hostname } from "node:os";
import { createArchive } from "../../src/job/archive/archive-writer.ts";
import { createRedisStatisticsStore } from "../../src/job/store/statistics/redis-statistics-store.ts";
import type { Decorate } from "../../src/job/compose/build-source.ts";
import { createRedisGuardBook } from "../../src/job/store/guards/redis-guard-book.ts";
import { grantLifeMs } from "../../src/job/contracts/ledger-limits.ts";
import type { WorkQueue } from "../../src/job/contracts/work-queue.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { createRedisLaneBook } from "../../src/job/store/lanes/redis-lane-book.ts";
import { createRecordFailures } from "../../src/job/failures/record-failures.ts";
import { createLanes } from "../../src/job/lanes/lanes.ts";
import { createGuards } from "../../src/job/statistics/drain-guards.ts";
import type { AtWorkMeter } from "../support/at-work.ts";
import type { Failpoints } from "./failpoints.ts";
import type { FaultDisk } from "./fault-disk.ts";
import { knobs, withSmallPages } from "./turned-up.ts";
import { wrapPort, wrapService } from "./wrap-port.ts";

export interface FaultParts {
  readonly failpoints: Failpoints;
  readonly disk: FaultDisk;
  /** For the guard book, which a built source no longer shows. */
  readonly redis: RedisConnection;
  readonly atWork: AtWorkMeter;
  readonly isTurnedUp: boolean;
}

/** Every port of a daemon with failpoints around its effects, and its knobs turned up if that is asked for. */
export function decorateDaemon({ failpoints, disk, redis, atWork, isTurnedUp }: FaultParts): Decorate {
  return {
    source(built) {
      const { config, clock, events } = built;
      const passes = wrapPort("passes", built.passes, failpoints);
      const audit = wrapPort("audit", built.audit, failpoints);
      const failures = wrapPort("failures", built.failures, failpoints);
      return {
        ...built,
        service: wrapService(isTurnedUp ? withSmallPages(built.service) : built.service, failpoints),
        pagesInFlight: atWork.pagesInFlight(isTurnedUp ? knobs.pagesInFlight : undefined),
        windowSizes: isTurnedUp ? knobs.windowSizes : built.windowSizes,
        ledger: wrapPort("ledger", built.ledger, failpoints),
        capacity: wrapPort("capacity", built.capacity, failpoints),
        audit,
        copies: wrapPort("copies", built.copies, failpoints),
        passes,
        failures,
        // Redis loses nothing in this scenario.
        recordFailures: createRecordFailures(failures, clock.monotonic, () => 0),
        book: wrapPort("book", built.book, failpoints),
        bind: wrapPort("source", { bind: built.bind }, failpoints).bind,
        guards: createGuards({
          statistics: createRedisStatisticsStore(redis),
          book: wrapPort("guardBook", createRedisGuardBook(redis, config.id), failpoints),
          clock,
          events,
          forceFull: (drain) => passes.forceFull(drain),
        }),
        lanes: createLanes({
          source: config.id,
          book: wrapPort(
            "laneBook",
            createRedisLaneBook(redis, config.id, grantLifeMs(built.ledger.limits), built.identities),
            failpoints,
          ),
          clock,
          events,
          passes,
          audit,
          by: built.by,
        }),
      };
    },
    archive(_built, { dir, keepMs }) {
      // In place of the built one, which has opened nothing yet, so that the disk under it has failpoints
      // too.
      const archive = createArchive({
        dir,
        keepMs,
        owner: hostname(),
        pid: process.pid,
        now: () => Date.now(),
        otherNow: () => Promise.resolve(Date.now()),
        report: () => undefined,
        disk: disk.disk,
      });
      return wrapPort("archive", archive, failpoints);
    },
  };
}

/** What a job does belongs to its kind, but for what it wakes: whichever job ends next has that to do. */
export function decorateQueue(queue: WorkQueue, failpoints: Failpoints, atWork: AtWorkMeter): WorkQueue {
  const wrapped = wrapPort("queue", queue, failpoints);
  const counted = atWork.ofWorker();
  return {
    ...wrapped,
    addTick: (drain, at) => failpoints.within("wake", () => wrapped.addTick(drain, at)),
    addSweep: (source, at) => failpoints.within("wake", () => wrapped.addSweep(source, at)),
    start: (handle, beforeGivenUp) =>
      queue.start((job, context) => {
        const work = (): Promise<void> => failpoints.within(job.kind, () => handle(job, context));
        return job.kind === "window" ? counted(work) : work();
      }, beforeGivenUp),
  };
}
