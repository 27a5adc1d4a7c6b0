/** One contender drains one queue: what it took. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Guard } from "../../rig/guard.ts";
import { createClosing } from "../../support/closing.ts";
import { createRedisServers } from "../../support/redis-servers.ts";
import type { Order } from "../service/dead-letters.ts";
import type { Distribution } from "../service/records.ts";
import { startBenchProcess, type BenchProcess, type BenchProcessOptions } from "./bench-process.ts";
import { toDocument } from "./document.ts";
import { readRedisUsage, type RedisUsage } from "./redis-usage.ts";
import { startService, type ServiceProcess } from "./service-process.ts";
import type { ServiceFigures } from "../service/service-types.ts";

export const contenders = ["floor", "loop", "drain", "run"] as const;
export type Contender = (typeof contenders)[number];

export interface Case {
  readonly contender: Contender;
  readonly messages: number;
  readonly latencyMs: number;
  readonly distribution: Distribution;
  readonly order: Order;
  readonly bodyBytes: number;
  /** Of `run`. */
  readonly replicas: number;
  /** Of the floor: calls in flight. */
  readonly parallel: number;
  readonly callsPerSecond: number | null;
  /** Settings of the daemon besides its addresses. */
  readonly env: Readonly<Record<string, string>>;
}

export const plainCase: Omit<Case, "contender" | "messages"> = {
  latencyMs: 0,
  distribution: "even",
  order: "earliest-first",
  bodyBytes: 1_500,
  replicas: 1,
  parallel: 8,
  callsPerSecond: null,
  env: {},
};

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

export interface Stand {
  /** For all that is written. */
  readonly dir: string;
  readonly guard: Guard;
  /** Path of the built program. */
  readonly program: string;
  /** A folder for CPU profiles of redriver's processes; null: none. */
  readonly profiles: string | null;
  readonly withinMs: number;
}

/** Older than any drain's minAge, and no pass's horizon cuts it off. */
const newestAgeMs = 150_000;
/** Answers that are on their way when the queue is empty. */
const settleMs = 200;

export async function measure(stand: Stand, given: Case): Promise<Measured> {
  const { guard } = stand;
  const name = `${given.contender}-${given.messages}-${given.latencyMs}ms-${process.hrtime.bigint()}`;
  const dir = join(stand.dir, name);
  mkdirSync(dir, { recursive: true });
  const closing = createClosing();
  try {
    const newestAt = Date.now() - newestAgeMs;
    const service = await startService(
      { ...given, count: given.messages, newestAt },
      { guard, logFile: join(dir, "service.log") },
    );
    closing.add(() => service.close());
    const isRedriver = given.contender === "run" || given.contender === "drain";
    const servers = createRedisServers({ guard });
    closing.add(() => servers.stop());
    const redis = isRedriver ? await servers.start() : null;
    const processes = toProcesses(stand, given, { dir, service, newestAt, redisUrl: redis?.url ?? "" }).map(
      (options) => startBenchProcess({ ...options, guard }),
    );
    closing.add(async () => {
      await Promise.all(processes.map((one) => one.stop()));
    });
    await service.watch(processes.map(({ pid }) => pid));
    await inTime(stand, processes, service.untilBegun());
    const redisBefore = redis === null ? null : await readRedisUsage(redis);
    await inTime(stand, processes, service.untilEmpty());
    const redisAfter = redis === null ? null : await readRedisUsage(redis);
    await delay(settleMs);
    const figures = await service.figures();
    const peakBytes = Math.max(...processes.map((one) => one.peakBytes()));
    const [serviceBefore = 0, ...before] = figures.begun!.cpuMs;
    const [serviceAfter = 0, ...after] = figures.empty!.cpuMs;
    return {
      case: given,
      wallMs: figures.empty!.at - figures.begun!.at,
      cpuMs: sum(after) - sum(before),
      serviceCpuMs: serviceAfter - serviceBefore,
      service: figures,
      peakBytes,
      redis:
        redisBefore === null || redisAfter === null
          ? null
          : {
              cpuMs: redisAfter.cpuMs - redisBefore.cpuMs,
              answersWritten: redisAfter.answersWritten - redisBefore.answersWritten,
              memoryBytes: redisAfter.memoryBytes,
            },
    };
  } finally {
    await closing.close();
  }
}

interface Surroundings {
  readonly dir: string;
  readonly service: ServiceProcess;
  readonly newestAt: number;
  readonly redisUrl: string;
}

const mainOf = (name: string): string => new URL(`../contenders/${name}-main.js`, import.meta.url).pathname;

function toProcesses(
  { program, profiles }: Stand,
  { contender, replicas, parallel, env }: Case,
  { dir, service, newestAt, redisUrl }: Surroundings,
): readonly Omit<BenchProcessOptions, "guard">[] {
  const { url, oldestAt } = service;
  const logFile = join(dir, `${contender}.log`);
  switch (contender) {
    case "loop":
      return [{ args: [mainOf("loop"), url], logFile }];
    case "floor":
      return [{ args: [mainOf("floor"), url, ...[parallel, oldestAt, newestAt].map(String)], logFile }];
    case "drain":
    case "run": {
      const documentFile = join(dir, "drains.yaml");
      writeFileSync(documentFile, toDocument({ schedule: "{ every: 1s, full: 30m }" }));
      const command = contender === "run" ? ["run"] : ["drain", "--all", "--yes", "--json"];
      const profiling = profiles === null ? [] : ["--cpu-prof", "--cpu-prof-dir", join(profiles, contender)];
      return Array.from({ length: contender === "run" ? replicas : 1 }, (_, replica) => ({
        args: [...profiling, program, ...command],
        env: {
          REDRIVER_SERVICE_URL: url,
          REDRIVER_SERVICE_TOKEN: "bench",
          REDRIVER_REDIS_URL: redisUrl,
          REDRIVER_DRAINS_FILE: documentFile,
          REDRIVER_HTTP_HOST: "127.0.0.1",
          REDRIVER_HTTP_PORT: "0",
          ...env,
        },
        logFile: join(dir, `${contender}-${replica}.jsonl`),
      }));
    }
  }
}

/** Rejects when a process has ended although there is work left, or when it takes too long. */
async function inTime(
  { withinMs }: Stand,
  processes: readonly BenchProcess[],
  done: Promise<void>,
): Promise<void> {
  const gone = Promise.race(processes.map(({ ended }) => ended)).then(async (how) => {
    // The last call of one that ends by itself may be on its way.
    await delay(1_000);
    throw new Error(`ended before the queue was empty: ${how}`);
  });
  const controller = new AbortController();
  const late = delay(withinMs, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`not done within ${withinMs / 1_000} s`);
  });
  gone.catch(() => undefined);
  late.catch(() => undefined);
  try {
    await Promise.race([done, gone, late]);
  } finally {
    controller.abort();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
