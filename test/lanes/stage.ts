import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Redis } from "ioredis";
import { createClosing } from "../support/closing.ts";
import { createRedisServers } from "../support/redis-servers.ts";
import { createDaemonProcess, type DaemonProcess } from "../rig/daemon-process.ts";
import { waitUntil } from "../rig/wait.ts";
import { toDocument, type DrainChanges } from "./document.ts";
import { startEmulatorProcess, type EmulatorProcess } from "../rig/emulator-process.ts";
import { toRecords, type LetterBatch } from "../rig/letters.ts";
import { startReceiverProcess, type ReceiverProcess } from "../rig/receiver-process.ts";
import { minuteMs, secondMs, type TimeScale } from "./time-scale.ts";
import type { World } from "./world.ts";

/** What a daemon said of a lane. */
export interface Move {
  /** Unix ms. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** Everything that one scenario runs on, each in a process of its own. */
export interface Stage {
  readonly emulator: EmulatorProcess;
  readonly receivers: readonly ReceiverProcess[];
  /** Straight to the Redis of the daemons. */
  readonly redis: Redis;
  readonly archiveDir: string;
  seed(batch: LetterBatch): Promise<void>;
  /** Resolves when all replicas have said that they work. */
  startDaemons(replicas: number): Promise<void>;
  stopDaemons(): Promise<void>;
  /** What the daemons said so far. For figures that nobody else can tell. */
  moves(): readonly Move[];
  /** `redriver <args> --json`, a value a line or one for all. */
  ask(...args: readonly string[]): Promise<string>;
  /** The sum of a metric over one replica's lines with that name that contain `label`; null where it has none. */
  metric(name: string, label?: string): Promise<number | null>;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly name: string;
  readonly receivers?: number;
  readonly drain?: DrainChanges;
  readonly retentionMs?: number;
  /** Another scale than the run's. */
  readonly scale?: TimeScale;
  /** Where daemons find Redis, given its port; the same port unless told otherwise. */
  readonly redisPathOf?: (port: number) => Promise<number>;
  readonly env?: Readonly<Record<string, string>>;
}

const run = promisify(execFile);

export async function startStage(world: World, options: StageOptions): Promise<Stage> {
  const { scale = world.scale, name } = options;
  const { guard } = world;
  const dir = join(world.dir, name);
  const archiveDir = join(dir, "archive");
  mkdirSync(archiveDir, { recursive: true });
  const closing = createClosing();
  try {
    const servers = createRedisServers();
    closing.add(() => servers.stop());
    const redis = await servers.start();
    const port = (await options.redisPathOf?.(redis.port)) ?? redis.port;
    const emulator = await startEmulatorProcess({
      program: world.program,
      guard,
      logFile: join(dir, "emulator.log"),
      args: [
        "--stop-with-parent",
        "--seed",
        String(world.seed),
        "--retry-scale",
        (1 / scale.factor).toFixed(6),
        ...(options.retentionMs === undefined ? [] : ["--retention", `${options.retentionMs}ms`]),
      ],
    });
    closing.add(() => emulator.close());
    const receivers: ReceiverProcess[] = [];
    for (let index = 0; index < (options.receivers ?? 1); index += 1) {
      const receiver = await startReceiverProcess({ guard, logFile: join(dir, `receiver-${index}.log`) });
      closing.add(() => receiver.close());
      receivers.push(receiver);
    }
    const documentFile = join(dir, "drains.yaml");
    const changes: DrainChanges = { ...options.drain, ...(world.withoutLanes ? { lane: "none" } : {}) };
    writeFileSync(documentFile, toDocument(scale, archiveDir, changes));
    const env = {
      REDRIVER_SERVICE_URL: emulator.url,
      REDRIVER_SERVICE_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: `redis://127.0.0.1:${port}`,
      REDRIVER_REDIS_KEY_PREFIX: "lanes",
      REDRIVER_DRAINS_FILE: documentFile,
      REDRIVER_HTTP_HOST: "127.0.0.1",
      REDRIVER_HTTP_PORT: "0",
      REDRIVER_SWEEP_EVERY: `${Math.round(scale.here(15 * secondMs))}ms`,
      REDRIVER_PASSES_OVERLAP: `${Math.round(scale.here(2 * minuteMs))}ms`,
      // Below the 15 s after which a daemon process of the soak is killed.
      REDRIVER_SHUTDOWN_SOFT: "4s",
      REDRIVER_SHUTDOWN_HARD: "6s",
      ...options.env,
    };
    const moves: Move[] = [];
    let daemons: DaemonProcess[] = [];
    let crash: string | null = null;
    const stopDaemons = async (): Promise<void> => {
      const ending = daemons;
      daemons = [];
      await Promise.all(ending.map((one) => one.terminate()));
      if (crash !== null) throw new Error(`a daemon ${crash}`);
    };
    closing.add(async () => {
      await Promise.all(daemons.map((one) => one.kill()));
    });
    return {
      emulator,
      receivers,
      redis: redis.admin,
      archiveDir,
      seed: async (batch) => emulator.seed(toRecords(batch, (await emulator.state()).now)),
      async startDaemons(replicas) {
        const started = Array.from({ length: replicas }, (_, index) =>
          createDaemonProcess({
            program: world.program,
            env,
            logFile: join(dir, `daemon-${index}.jsonl`),
            guard,
            onLine: (line) => {
              const move = toMove(line);
              if (move !== null) moves.push(move);
            },
            onCrash: (how) => {
              crash = how;
              world.say(`${name}: a daemon ${how}`);
            },
            onEnd: () => undefined,
          }),
        );
        daemons = started;
        for (const one of started) one.start();
        await waitUntil("the daemons", () => started.every((one) => one.address() !== null), 60_000);
      },
      stopDaemons,
      moves: () => [...moves],
      async ask(...args) {
        const { stdout } = await run(process.execPath, [world.program, ...args, "--json"], {
          env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
          maxBuffer: 1 << 28,
        });
        return stdout;
      },
      async metric(metricName, label = "") {
        const [daemon] = daemons;
        const text = await (await fetch(`http://${daemon?.address()}/metrics`)).text();
        const values = text
          .split("\n")
          .filter((line) => line.startsWith(`${metricName}{`) && line.includes(label))
          .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
        return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
      },
      close: closing.close,
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function toMove(line: string): Move | null {
  if (!line.includes('"lane:moved"')) return null;
  const { from, to, why } = JSON.parse(line) as Readonly<Record<"from" | "to" | "why", string>>;
  return { at: Date.now(), from, to, why };
}
