/** The processes of one case: the service, Redis, and whoever drains. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { shipped } from "../../memory/manifest.ts";
import { startChild, type Child, type ChildOptions } from "../../rig/child.ts";
import type { Guard } from "../../rig/guard.ts";
import { watchPeak } from "../../rig/peak.ts";
import { createClosing } from "../../support/closing.ts";
import { createRedisServers, type RedisServer } from "../../support/redis-servers.ts";
import type { Case } from "./case.ts";
import { toDocument } from "./document.ts";
import { startService, type ServiceProcess } from "./service-process.ts";

/** What all cases of a run share. */
export interface Stand {
  /** For all that is written. */
  readonly dir: string;
  readonly guard: Guard;
  /** Path of the built program. */
  readonly program: string;
  /** A folder for CPU profiles of redriver's processes; null: none. */
  readonly profiles: string | null;
}

export interface Scene {
  readonly service: ServiceProcess;
  /** Null for who needs none. */
  readonly redis: RedisServer | null;
  readonly processes: readonly (Child & { readonly pid: number; peakBytes(): number })[];
  /** Rejects when a process has ended before that, or when it takes too long. */
  inTime(done: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Older than any drain's minAge, and no pass's horizon cuts it off. */
const newestAgeMs = 150_000;
/** The last call of a process that ends by itself may be on its way. */
const lastCallMs = 1_000;

const withinMs = 600_000;

let scenes = 0;

export async function openScene(stand: Stand, given: Case): Promise<Scene> {
  const { guard } = stand;
  scenes += 1;
  const dir = join(stand.dir, `${scenes}-${given.contender}-${given.messages}-${given.latencyMs}ms`);
  mkdirSync(dir, { recursive: true });
  const closing = createClosing();
  try {
    const newestAt = Date.now() - newestAgeMs;
    const service = await startService(
      { ...given, count: given.messages, newestAt },
      { guard, logFile: join(dir, "service.log") },
    );
    closing.add(() => service.close());
    const servers = createRedisServers({ guard });
    closing.add(() => servers.stop());
    const isRedriver = given.contender === "run" || given.contender === "drain";
    const redis = isRedriver ? await servers.start() : null;
    const surroundings = { dir, service, newestAt, redisUrl: redis?.url ?? "" };
    const processes = toProcesses(stand, given, surroundings).map((options) => {
      const child = startChild({ ...options, guard, isUnheard: true });
      return { ...child, pid: child.process.pid!, peakBytes: watchPeak(child) };
    });
    closing.add(async () => {
      for (const { process: one } of processes) one.kill("SIGTERM");
      await Promise.all(processes.map(({ ended }) => ended));
    });
    await service.watch(processes.map(({ pid }) => pid));
    return {
      service,
      redis,
      processes,
      inTime: (done) => inTime(processes, dir, done),
      close: closing.close,
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

interface Surroundings {
  readonly dir: string;
  readonly service: ServiceProcess;
  readonly newestAt: number;
  readonly redisUrl: string;
}

function toProcesses(
  { program, profiles }: Stand,
  { contender, replicas, parallel, drain, env }: Case,
  { dir, service, newestAt, redisUrl }: Surroundings,
): readonly Omit<ChildOptions, "guard">[] {
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
      writeFileSync(documentFile, toDocument(drain));
      const command = contender === "run" ? ["run"] : ["drain", "--all", "--yes", "--json"];
      const profiling = profiles === null ? [] : ["--cpu-prof", "--cpu-prof-dir", join(profiles, contender)];
      return Array.from({ length: contender === "run" ? replicas : 1 }, (_, replica) => ({
        args: [...profiling, program, ...command],
        env: {
          NODE_OPTIONS: shipped.nodeOptions,
          REDRIVER_SERVICE_URL: url,
          REDRIVER_SERVICE_TOKEN: "bench",
          REDRIVER_REDIS_URL: redisUrl,
          REDRIVER_DRAINS_FILE: documentFile,
          REDRIVER_HTTP_HOST: "127.0.0.1",
          REDRIVER_HTTP_PORT: "0",
          REDRIVER_CONSOLE_PORT: "none",
          ...env,
        },
        logFile: join(dir, `${contender}-${replica}.jsonl`),
      }));
    }
  }
}

const mainOf = (name: string): string => new URL(`../contenders/${name}-main.js`, import.meta.url).pathname;

async function inTime(processes: readonly Child[], dir: string, done: Promise<void>): Promise<void> {
  const gone = Promise.race(processes.map(({ ended }) => ended)).then(async (how) => {
    await delay(lastCallMs);
    throw new Error(`a process ended before it was done: ${how}; see ${dir}`);
  });
  const controller = new AbortController();
  const late = delay(withinMs, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`not done within ${withinMs / 1_000} s; see ${dir}`);
  });
  for (const one of [done, gone, late]) one.catch(() => undefined);
  try {
    await Promise.race([done, gone, late]);
  } finally {
    controller.abort();
  }
}
