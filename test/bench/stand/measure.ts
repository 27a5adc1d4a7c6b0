import { setTimeout as delay } from "node:timers/promises";
import type { ServiceFigures } from "../service/service-types.ts";
import type { Case } from "./case.ts";
import { readCpuMs } from "./process-usage.ts";
import { readRedisUsage, usedSince, type RedisUsage } from "./redis-usage.ts";
import { openScene, type Stand } from "./scene.ts";

/** What it took to drain one queue. */
export interface Measured {
  readonly case: Case;
  /** From the first call to the delete of the last record. */
  readonly wallMs: number;
  /** In that time, of all processes of the contender. */
  readonly cpuMs: number;
  readonly serviceCpuMs: number;
  readonly service: ServiceFigures;
  /** The largest of its processes. */
  readonly peakBytes: number;
  /** What it made Redis do, and what Redis held at the end; null without a Redis. */
  readonly redis: RedisUsage | null;
}

/** Answers that are on their way when the queue is empty. */
const settleMs = 200;

export async function measure(stand: Stand, given: Case): Promise<Measured> {
  const scene = await openScene(stand, given);
  try {
    const { service, redis, processes } = scene;
    await scene.inTime(service.untilBegun());
    const redisBefore = redis === null ? null : await readRedisUsage(redis);
    await scene.inTime(service.untilEmpty());
    const redisAfter = redis === null ? null : await readRedisUsage(redis);
    await delay(settleMs);
    const figures = await service.figures();
    const [serviceBefore = 0, ...before] = figures.begun!.cpuMs;
    const [serviceAfter = 0, ...after] = figures.empty!.cpuMs;
    return {
      case: given,
      wallMs: figures.empty!.at - figures.begun!.at,
      cpuMs: sum(after) - sum(before),
      serviceCpuMs: serviceAfter - serviceBefore,
      service: figures,
      peakBytes: Math.max(...processes.map((one) => one.peakBytes())),
      redis: redisBefore === null || redisAfter === null ? null : usedSince(redisBefore, redisAfter),
    };
  } finally {
    await scene.close();
  }
}

/** CPU of an idle daemon, as a share of a core. */
export async function measureIdle(stand: Stand, given: Case, forMs: number): Promise<number> {
  const scene = await openScene(stand, { ...given, messages: 0 });
  try {
    await scene.inTime(scene.service.untilBegun());
    await delay(startUpMs);
    const [one] = scene.processes;
    const before = readCpuMs(one!.pid);
    await delay(forMs);
    return (readCpuMs(one!.pid) - before) / forMs;
  } finally {
    await scene.close();
  }
}

/**
 * After its first call a daemon still loads and compiles what it has not needed before. V8
 * collects what the start has left some 15 s after it, which costs as much as half a minute at rest.
 */
const startUpMs = 25_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
